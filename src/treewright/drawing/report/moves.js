// How a reader controls the picture: zoom, pan, select, fold; by pointer and keyboard.

// -- moving -----------------------------------------------------------------------

function zoom(by, x = view.width / 2, y = view.height / 2) {
  const { k, tall } = view;
  setZoom(k * by);
  view.x = x - ((x - view.x) * view.k) / k;
  view.y = y - ((y - view.y) * view.tall) / tall;
  redraw();
}

// Fit the whole tree; `least` is the smallest scale that is still readable.
function fit(least = 0) {
  const pad = 28;
  const width = plan.right - plan.left;
  const k = Math.min((view.width - 2 * pad) / width, (view.height - 2 * pad - 20) / plan.height, 1.15);
  setZoom(Math.max(k, least));
  const whole = view.k <= k;
  const middle = whole ? (plan.left + plan.right) / 2 : plan.x[0];
  view.x = view.width / 2 - middle * view.k;
  view.y = whole ? Math.min(Math.max((view.height - plan.height * view.tall) / 2, pad), 60) : pad;
  redraw();
}

function centre(node, least = 0.7) {
  const i = plan.place[node];
  if (i < 0) return;
  if (view.k < least) zoom(least / view.k);
  const x = toX(plan.x[i]), y = toY(topOf(i));
  const w = (CARD.width * view.k) / 2 + 24, h = CARD.height * view.tall + 40;
  if (x - w < 0 || x + w > view.width) view.x += view.width / 2 - x;
  if (y - 40 < 0 || y + h > view.height) view.y += view.height * 0.45 - y;
  redraw();
}

// -- choosing ---------------------------------------------------------------------

// Expand all ancestors of a node, so that it is shown; false if the chosen size hides it.
function reveal(node) {
  let changed = false;
  for (const i of nodesTo(node).slice(0, -1)) {
    if (isEnd(i)) return false;
    if (state.closed[i]) {
      state.closed[i] = 0;
      changed = true;
    }
  }
  if (changed) relayout(state.selected, false);
  return true;
}

function select(node, { focus = false, move = true, highlight = true } = {}) {
  if (!reveal(node)) {
    while (!isEnd(node) || plan.place[node] < 0) node = parent[node];
  }
  state.selected = node;
  if (highlight) state.highlighted = new Set(nodesTo(node));
  if (move) centre(node);
  showDetails(node);
  if (view.k < READABLE && focus) zoom(READABLE / view.k);
  drawn && cancelAnimationFrame(drawn);
  draw(performance.now());
  if (focus) cardOf.get(node)?.focus({ preventScroll: true });
}

function toggle(node) {
  if (isEnd(node)) return;
  const had = focused() === node;
  state.closed[node] = state.closed[node] ? 0 : 1;
  if (plan.place[node] >= 0) {
    for (let i = node + 1; i < node + size[node]; i++) {
      if (i === state.selected && state.closed[node]) state.selected = node;
    }
  }
  // A node that was collapsed from the start expands one level, not the whole subtree.
  if (!state.closed[node] && leavesBelow(node) > 40) {
    for (const c of children(node)) if (!isEnd(c)) state.closed[c] = 1;
  }
  relayout(node);
  showDetails(state.selected);
  if (had) {
    draw(performance.now());
    cardOf.get(node)?.focus({ preventScroll: true });
  }
}

function foldAll(closed) {
  state.closed.fill(0);
  if (closed) for (let i = 1; i < N; i++) if (!isEnd(i)) state.closed[i] = 1;
  while (nodesTo(state.selected).slice(0, -1).some((i) => state.closed[i])) {
    state.selected = parent[state.selected];
  }
  relayout(-1, false);
  fit();
}

// -- pointers and keys ------------------------------------------------------------

function nodeAt(event) {
  const card = event.target.closest?.(".card");
  if (card) return Number(card.dataset.node);
  const box = stage.getBoundingClientRect();
  const x = (event.clientX - box.left - view.x) / view.k;
  const y = (event.clientY - box.top - view.y) / view.tall;
  const level = plan.levels[Math.floor(y / LEVEL)];
  if (!level || y % LEVEL > Math.max(CARD.height, 6 / view.tall)) return -1;
  const half = Math.max(CARD.width / 2, 3 / view.k);
  const i = level[Math.min(firstFrom(level, x - half, leftOf), level.length - 1)];
  return Math.abs(leftOf(i) - x) <= half ? plan.nodes[i] : -1;
}

const touches = new Map();
let dragged = 0;

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
  if (touches.size === 2) {
    const other = [...touches].find(([id]) => id !== event.pointerId)[1];
    const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
    const box = stage.getBoundingClientRect();
    zoom(far(now, other) / far(was, other), (now[0] + other[0]) / 2 - box.left, (now[1] + other[1]) / 2 - box.top);
  } else {
    view.x += dx;
    view.y += dy;
    stage.classList.add("moving");
    redraw();
  }
  touches.set(event.pointerId, now);
}
function onUp(event) {
  touches.delete(event.pointerId);
  stage.classList.remove("moving");
}
function onClick(event) {
  if (dragged >= 5) return;
  const node = nodeAt(event);
  if (node < 0) return;
  if (event.target.closest?.("[data-fold]")) {
    select(node, { move: false, focus: true });
    toggle(node);
  } else select(node, { focus: true, move: view.k < READABLE });
}
function onWheel(event) {
  const full = byId("tree").classList.contains("full");
  if (!event.ctrlKey && !event.metaKey && !full) return;
  event.preventDefault();
  const box = stage.getBoundingClientRect();
  const by = Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0022));
  zoom(by, event.clientX - box.left, event.clientY - box.top);
}

// The neighbour on the same level; at the end of the level, the node itself.
function beside(node, by) {
  const level = plan.levels[depth[node]];
  const at = level.indexOf(plan.place[node]) + by;
  return at >= 0 && at < level.length ? plan.nodes[level[at]] : node;
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const node = state.selected;
  const go = (to) => select(to, { focus: true });
  const keys = {
    ArrowDown: () => {
      if (isEnd(node)) return;
      if (!isOpen(node)) toggle(node);
      go(node + 1);
    },
    ArrowUp: () => node && go(parent[node]),
    ArrowLeft: () => go(beside(node, -1)),
    ArrowRight: () => go(beside(node, 1)),
    Home: () => go(0),
    End: () => go(plan.nodes[plan.nodes.length - 1]),
    Enter: () => toggle(node),
    " ": () => toggle(node),
    "+": () => zoom(1.25),
    "=": () => zoom(1.25),
    "-": () => zoom(0.8),
    0: () => fit(),
    Escape: () => setFull(false),
  };
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function setFull(on) {
  const section = byId("tree");
  if (section.classList.contains("full") === on) return;
  section.classList.toggle("full", on);
  document.body.classList.toggle("still", on);
  byId("full").setAttribute("aria-pressed", on);
  resized();
  fit(0.3);
}

function resized() {
  view.width = stage.clientWidth;
  view.height = stage.clientHeight;
  setZoom(view.k);
  redraw();
}

function startView() {
  for (const node of T.closed) state.closed[node] = 1;
  readInks();
  plan = null;
  resized();
  relayout(-1, false);
  fit(0.5);
  stage.addEventListener("pointerdown", onDown);
  stage.addEventListener("pointermove", onMove);
  stage.addEventListener("pointerup", onUp);
  stage.addEventListener("pointercancel", onUp);
  stage.addEventListener("click", onClick);
  stage.addEventListener("dblclick", (event) => {
    const node = nodeAt(event);
    if (node >= 0 && !event.target.closest?.("[data-fold]")) toggle(node);
  });
  stage.addEventListener("wheel", onWheel, { passive: false });
  stage.addEventListener("keydown", onKey);
  // A focused card that scrolls into view must not scroll the stage.
  stage.addEventListener("scroll", () => { stage.scrollTop = stage.scrollLeft = 0; });
  new ResizeObserver(resized).observe(stage);
  byId("zoom-in").addEventListener("click", () => zoom(1.3));
  byId("zoom-out").addEventListener("click", () => zoom(1 / 1.3));
  byId("fit").addEventListener("click", () => fit());
  byId("open-all").addEventListener("click", () => foldAll(false));
  byId("fold-all").addEventListener("click", () => foldAll(true));
  byId("full").addEventListener("click", () => setFull(!byId("tree").classList.contains("full")));
}
