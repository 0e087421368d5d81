// How a reader controls the picture: zoom, pan, select, fold; by pointer and keyboard.

import { CARD } from "./layout.js";
import { READABLE } from "./picture.js";
import { bestDirection, openToFit } from "./fold.js";

// The smallest letters of a card have 12 pixels; at this zoom they have 11.
const LEGIBLE = 11 / 12;
const PAD = 22;

export function makeMoves(page, picture) {
  const { model, choice, byId, isOpen } = page;
  const { view, cardOf } = picture;
  const stage = byId("stage");

  // -- moving ---------------------------------------------------------------------

  function zoom(by, x = view.width / 2, y = view.height / 2) {
    const { k, tall } = view;
    picture.setZoom(k * by);
    const [wide, high] = picture.plan().direction === "down" ? ["k", "tall"] : ["tall", "k"];
    const was = { k, tall };
    view.x = x - ((x - view.x) * view[wide]) / was[wide];
    view.y = y - ((y - view.y) * view[high]) / was[high];
    picture.redraw();
  }

  // The zoom at which a layout fills the stage.
  const zoomOf = ({ box }) =>
    Math.min(
      (view.width - 2 * PAD) / (box.right - box.left),
      (view.height - 2 * PAD) / (box.bottom - box.top),
      1.15,
    );

  // Fit the whole tree; `least` is the smallest zoom that is still readable.
  function fit(least = 0) {
    const plan = picture.plan();
    const { box, direction } = plan;
    const k = zoomOf(plan);
    picture.setZoom(Math.max(k, least));
    const [wide, high] = direction === "down" ? [view.k, view.tall] : [view.tall, view.k];
    const fitsX = (box.right - box.left) * wide <= view.width - PAD;
    const fitsY = (box.bottom - box.top) * high <= view.height - PAD;
    const middle = (low, high_, room, scale) => room / 2 - ((low + high_) / 2) * scale;
    const rootX = direction === "down" ? view.width / 2 : PAD;
    const rootY = direction === "down" ? PAD - box.top * high : view.height / 2;
    view.x = fitsX ? middle(box.left, box.right, view.width, wide) : rootX;
    view.y = fitsY ? middle(box.top, box.bottom, view.height, high) : rootY;
    picture.redraw();
  }

  function centre(node, least = 0.7) {
    const i = picture.plan().place[node];
    if (i < 0) return;
    if (view.k < least) zoom(least / view.k);
    const [left, top] = picture.cornerOf(i).map((at) => at * view.k);
    const w = CARD.width * view.k,
      h = CARD.height * view.k;
    const x = left + view.x,
      y = top + view.y;
    if (x < 12 || x + w > view.width - 12) view.x += (view.width - w) / 2 - x;
    if (y < 28 || y + h > view.height - 16) view.y += (view.height - h) / 2 - y;
    picture.redraw();
  }

  // -- choosing -------------------------------------------------------------------

  // Expand all ancestors of a node, so that it is shown; false if the size hides it.
  function reveal(node) {
    let changed = false;
    for (const i of model.nodesTo(node).slice(0, -1)) {
      if (model.isEnd(i)) return false;
      if (choice.closed[i]) {
        choice.closed[i] = 0;
        changed = true;
      }
    }
    if (changed) picture.relayout(choice.selected, false);
    return true;
  }

  function select(node, { focus = false, move = true, highlight = true } = {}) {
    if (!reveal(node)) {
      while (!model.isEnd(node) || picture.plan().place[node] < 0) node = model.parent[node];
    }
    choice.selected = node;
    if (highlight) choice.highlighted = new Set(model.nodesTo(node));
    if (move) centre(node);
    if (view.k < READABLE && focus) zoom(READABLE / view.k);
    picture.drawNow();
    if (focus) cardOf.get(node)?.focus({ preventScroll: true });
    page.tell("selected", node);
  }

  function toggle(node) {
    if (model.isEnd(node)) return;
    const had = picture.focused() === node;
    choice.closed[node] = choice.closed[node] ? 0 : 1;
    const inside = choice.selected > node && choice.selected < node + model.size[node];
    if (choice.closed[node] && inside) choice.selected = node;
    // A node that was collapsed from the start expands one level, not the whole subtree.
    if (!choice.closed[node] && model.leavesBelow(node) > 40) {
      for (const c of model.children(node)) if (!model.isEnd(c)) choice.closed[c] = 1;
    }
    picture.relayout(node);
    page.tell("selected", choice.selected);
    if (had) {
      picture.drawNow();
      cardOf.get(node)?.focus({ preventScroll: true });
    }
  }

  // The selected node, or the last node above it that is shown.
  function keepSelectionShown() {
    const hides = (i) => model.isEnd(i) || choice.closed[i];
    while (model.nodesTo(choice.selected).slice(0, -1).some(hides)) {
      choice.selected = model.parent[choice.selected];
    }
  }

  function foldAll(closed) {
    choice.closed.fill(0);
    if (closed) for (let i = 1; i < model.N; i++) if (!model.isEnd(i)) choice.closed[i] = 1;
    keepSelectionShown();
    picture.relayout(-1, false);
    fit();
    page.tell("selected", choice.selected);
  }

  // Open as many nodes as fit with legible letters.
  function openLegibly(direction = null) {
    const fits = (plan) => zoomOf(plan) >= LEGIBLE;
    picture.setDirection(direction || bestDirection(model, fits));
    openToFit(model, choice.closed, picture.direction(), fits);
    keepSelectionShown();
    picture.relayout(-1, false);
    fit(LEGIBLE);
    sayDirection();
  }

  function sayDirection() {
    const down = picture.direction() === "down";
    byId("layout").textContent = down ? "Grow right" : "Grow down";
  }

  function turn() {
    picture.setDirection(picture.direction() === "down" ? "right" : "down");
    picture.relayout(-1, false);
    fit();
    sayDirection();
  }

  // -- pointers -------------------------------------------------------------------

  const touches = new Map();
  let dragged = 0;

  function nodeOf(event) {
    const card = event.target.closest?.(".card");
    if (card) return Number(card.dataset.node);
    const box = stage.getBoundingClientRect();
    return picture.nodeAt(event.clientX - box.left, event.clientY - box.top);
  }

  function onDown(event) {
    if (event.button) return;
    touches.set(event.pointerId, [event.clientX, event.clientY]);
    dragged = touches.size > 1 ? 99 : 0;
  }

  function onMove(event) {
    const was = touches.get(event.pointerId);
    if (!was) return;
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - was[0], now[1] - was[1]];
    dragged += Math.abs(dx) + Math.abs(dy);
    if (dragged < 5) return;
    if (!stage.hasPointerCapture(event.pointerId)) stage.setPointerCapture(event.pointerId);
    if (touches.size === 2) pinch(event.pointerId, was, now);
    else {
      view.x += dx;
      view.y += dy;
      stage.classList.add("moving");
      picture.redraw();
    }
    touches.set(event.pointerId, now);
  }

  function pinch(finger, was, now) {
    const other = [...touches].find(([id]) => id !== finger)[1];
    const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
    const box = stage.getBoundingClientRect();
    const middle = [(now[0] + other[0]) / 2 - box.left, (now[1] + other[1]) / 2 - box.top];
    zoom(far(now, other) / far(was, other), ...middle);
  }

  function onUp(event) {
    touches.delete(event.pointerId);
    stage.classList.remove("moving");
  }

  function onClick(event) {
    if (dragged >= 5) return;
    const node = nodeOf(event);
    if (node < 0) return;
    if (event.target.closest?.("[data-fold]")) {
      select(node, { move: false, focus: true });
      toggle(node);
    } else select(node, { focus: true, move: view.k < READABLE });
  }

  function onDoubleClick(event) {
    const node = nodeOf(event);
    if (node >= 0 && !event.target.closest?.("[data-fold]")) toggle(node);
  }

  function onWheel(event) {
    if (!event.ctrlKey && !event.metaKey && !isFull()) return;
    event.preventDefault();
    const box = stage.getBoundingClientRect();
    const by = Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0022));
    zoom(by, event.clientX - box.left, event.clientY - box.top);
  }

  // -- keys -----------------------------------------------------------------------

  // The keys of the tree pattern of WAI-ARIA, and keys for zooming.
  function actOf(key, node) {
    const { nodes, place } = picture.plan();
    const go = (to) => select(to, { focus: true });
    const beside = (by) => nodes[Math.min(Math.max(place[node] + by, 0), nodes.length - 1)];
    const acts = {
      ArrowDown: () => go(beside(1)),
      ArrowUp: () => go(beside(-1)),
      ArrowRight: () => (isOpen(node) ? go(node + 1) : toggle(node)),
      ArrowLeft: () => (isOpen(node) ? toggle(node) : node && go(model.parent[node])),
      Home: () => go(0),
      End: () => go(nodes[nodes.length - 1]),
      Enter: () => toggle(node),
      " ": () => toggle(node),
      "*": () => openSiblings(node),
      "+": () => zoom(1.25),
      "=": () => zoom(1.25),
      "-": () => zoom(0.8),
      0: () => fit(),
    };
    return acts[key];
  }

  function openSiblings(node) {
    const all = node ? model.children(model.parent[node]) : [0];
    for (const c of all) choice.closed[c] = 0;
    picture.relayout(node);
    select(node, { focus: true });
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = actOf(event.key, choice.selected);
    if (!act) return;
    event.preventDefault();
    act();
  }

  // -- the stage ------------------------------------------------------------------

  const isFull = () => byId("tree").classList.contains("full");

  function setFull(on) {
    if (isFull() === on) return;
    byId("tree").classList.toggle("full", on);
    document.body.classList.toggle("still", on);
    byId("full").setAttribute("aria-pressed", on);
    resized();
    fit(READABLE);
    if (!on) byId("full").focus({ preventScroll: true });
  }

  function resized() {
    view.width = stage.clientWidth;
    view.height = stage.clientHeight;
    picture.setZoom(view.k);
    picture.redraw();
  }

  // A page that opens out of sight, in a hidden frame or tab, has no size to fit into yet.
  function shown() {
    const hadSize = view.width > 0 && view.height > 0;
    resized();
    if (!hadSize && view.width > 0 && view.height > 0) openLegibly();
  }

  function startStage() {
    const on = (name, act, more) => stage.addEventListener(name, act, more);
    on("pointerdown", onDown);
    on("pointermove", onMove);
    on("pointerup", onUp);
    on("pointercancel", onUp);
    on("click", onClick);
    on("dblclick", onDoubleClick);
    on("wheel", onWheel, { passive: false });
    on("keydown", onKey);
    // A focused card that scrolls into view must not scroll the stage.
    on("scroll", () => (stage.scrollTop = stage.scrollLeft = 0));
    new ResizeObserver(shown).observe(stage);
  }

  function startTools() {
    const on = (id, act) => byId(id).addEventListener("click", act);
    on("zoom-in", () => zoom(1.3));
    on("zoom-out", () => zoom(1 / 1.3));
    on("fit", () => fit());
    on("legible", () => openLegibly(picture.direction()));
    on("open-all", () => foldAll(false));
    on("fold-all", () => foldAll(true));
    on("layout", turn);
    on("full", () => setFull(!isFull()));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && isFull() && !event.defaultPrevented) setFull(false);
    });
  }

  function start() {
    picture.readInks();
    resized();
    picture.relayout(-1, false);
    openLegibly();
    startStage();
    startTools();
  }

  return { start, zoom, fit, select, toggle, foldAll, openLegibly, keepSelectionShown, setFull };
}
