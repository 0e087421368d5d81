// The picture of the tree. Only what is visible is drawn: branches on a canvas; cards as
// elements if they are large enough to read, otherwise as marks on the canvas.

import { CARD, layOut } from "./layout.js";
import { count } from "./numbers.js";
import { makeCards } from "./cards.js";

export const READABLE = 0.42;
const WIDEST_FLOW = 20,
  LONGEST_TWEEN = 600;
const LEAST_ZOOM = 0.0001,
  MOST_ZOOM = 2.5;
const INKS = ["flow", "accent", "line", "card", "leaf", "track", "muted", "text", "other", "page"];
for (let k = 0; k < 8; k++) INKS.push(`c${k}`, `r${k}`);

export function makePicture(page) {
  const { model, choice, byId, isOpen } = page;
  const { parent, depth, size, isClass, quartiles } = model;
  const stage = byId("stage"),
    canvas = byId("edges"),
    layer = byId("cards");
  const pen = canvas.getContext("2d");
  const cardOf = new Map(); // cards by node
  let plan = null; // the layout
  let shownAt = null; // the current positions of the nodes, animated towards the plan
  let inks = {},
    drawn = 0,
    tween = null,
    direction = "down";
  let scale = { low: 0, high: 1 }; // of numbers
  const { inkOf, makeCard, shareBar } = makeCards(page, () => scale);

  // Screen = world x scale + (x, y), where the scale is `k` in breadth and `tall` in
  // depth. Zoomed far out, a tree is much broader than deep; it is then stretched in
  // depth to fill the stage.
  const view = { k: 1, tall: 1, x: 0, y: 0, width: 0, height: 0 };
  const isDown = () => plan.direction === "down";
  const across = (i) => (shownAt ? shownAt.across[i] : plan.across[i]);
  const along = (i) => (shownAt ? shownAt.along[i] : plan.along[i]);

  // The point on the screen at a breadth and a depth of the world.
  const at = (b, d) =>
    isDown()
      ? [b * view.k + view.x, d * view.tall + view.y]
      : [d * view.tall + view.x, b * view.k + view.y];
  // The breadth and depth of a point on the screen.
  const worldAt = (x, y) =>
    isDown()
      ? [(x - view.x) / view.k, (y - view.y) / view.tall]
      : [(y - view.y) / view.k, (x - view.x) / view.tall];

  function setZoom(k) {
    view.k = Math.min(Math.max(k, LEAST_ZOOM), MOST_ZOOM);
    if (!plan) return;
    const { box } = plan;
    const room = isDown() ? view.height : view.width;
    const deep = isDown() ? box.bottom - box.top : box.right - box.left;
    view.tall = Math.max(view.k, Math.min(READABLE, (room - 90) / deep));
  }

  function readInks() {
    const style = getComputedStyle(stage);
    inks = Object.fromEntries(INKS.map((ink) => [ink, style.getPropertyValue(`--${ink}`).trim()]));
  }

  // -- laying out -----------------------------------------------------------------

  // Lay out again; the node `anchor` stays where it is on the screen.
  function relayout(anchor = -1, animate = true) {
    const before = plan,
      kept = anchor >= 0 && plan ? plan.place[anchor] : -1;
    const was = kept >= 0 ? [across(kept), along(kept)] : null;
    const old = before && { plan: before, across: Array.from(before.nodes, (_, i) => across(i)) };
    plan = layOut(model, isOpen, direction);
    shownAt = tween = null;
    if (!isClass) readScale();
    if (was && plan.place[anchor] >= 0 && before.direction === direction) {
      const now = plan.place[anchor];
      const moved = [was[0] - plan.across[now], was[1] - plan.along[now]];
      const [x, y] = isDown() ? moved : [moved[1], moved[0]];
      view.x += x * (isDown() ? view.k : view.tall);
      view.y += y * (isDown() ? view.tall : view.k);
      if (animate && !page.still.matches && plan.nodes.length < LONGEST_TWEEN)
        startTween(old, moved[0]);
    }
    setZoom(view.k);
    clearCards();
    const leaves = count(model.leavesBelow(0), "leaf", "leaves");
    stage.setAttribute(
      "aria-label",
      `The tree: ${leaves}, ${count(plan.nodes.length, "node")} shown`,
    );
    redraw();
  }

  function readScale() {
    let low = Infinity,
      high = -Infinity;
    for (const node of plan.nodes) {
      low = Math.min(low, quartiles[0][node], model.numberOf(node));
      high = Math.max(high, quartiles[2][node], model.numberOf(node));
    }
    scale = { low, high };
  }

  // A node moves from its old position, or from that of its nearest visible ancestor.
  function startTween(old, moved) {
    const from = plan.nodes.map((node) => {
      let i = node;
      while (i >= 0 && old.plan.place[i] < 0) i = parent[i];
      const place = old.plan.place[Math.max(i, 0)];
      return [old.across[place] - moved, depth[Math.max(i, 0)] * plan.form.level];
    });
    tween = { from, start: performance.now() };
    shownAt = { across: new Float64Array(from.length), along: new Float64Array(from.length) };
  }

  function stepTween(now) {
    const t = Math.min((now - tween.start) / 240, 1);
    const e = 1 - (1 - t) ** 3;
    tween.from.forEach(([b, d], i) => {
      shownAt.across[i] = b + (plan.across[i] - b) * e;
      shownAt.along[i] = d + (plan.along[i] - d) * e;
    });
    if (t >= 1) tween = shownAt = null;
  }

  // -- drawing --------------------------------------------------------------------

  function redraw() {
    if (!drawn) drawn = requestAnimationFrame(draw);
  }

  function drawNow() {
    if (drawn) cancelAnimationFrame(drawn);
    draw(performance.now());
  }

  function draw(now) {
    drawn = 0;
    if (!plan || !view.width) return;
    if (tween) stepTween(now);
    const ratio = devicePixelRatio || 1;
    const width = Math.round(view.width * ratio),
      height = Math.round(view.height * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, view.width, view.height);
    const [b0, d0] = worldAt(0, 0);
    const [b1, d1] = worldAt(view.width, view.height);
    const seen = { first: b0, last: b1, from: d0, to: d1 };
    drawFlows(seen);
    if (view.k >= READABLE) drawCards(seen);
    else {
      clearCards(focused());
      drawMarks(seen);
    }
    layer.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.k})`;
    if (tween) redraw();
  }

  // First entry of a level whose `place` is not below b; `place` increases along it.
  function firstFrom(level, b, place) {
    let low = 0,
      high = level.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (place(level[middle]) < b) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function levelsSeen(seen, more = 0) {
    const last = plan.levels.length - 1;
    if (shownAt) return [0, last];
    const cards = isDown() ? CARD.height : CARD.width;
    return [
      Math.max(Math.floor((seen.from - cards - 30) / plan.form.level), 0),
      Math.min(Math.floor(seen.to / plan.form.level) + more, last),
    ];
  }

  function drawFlows(seen) {
    const [first, last] = levelsSeen(seen, 1);
    pen.strokeStyle = inks.flow;
    const later = [];
    const least = (view.k < 0.1 ? 1.6 : 0.6) / view.k;
    const far = (i) => Math.max(across(i), across(plan.above[i])) + WIDEST_FLOW;
    for (let d = Math.max(first, 1); d <= last; d++) {
      const level = plan.levels[d];
      let drawnAt = -Infinity;
      for (let n = firstFrom(level, seen.first, far); n < level.length; n++) {
        const i = level[n],
          b = across(i);
        const marked = choice.highlighted.has(plan.nodes[i]);
        if (Math.min(b, across(plan.above[i])) - WIDEST_FLOW > seen.last) break;
        // Zoomed far out, branches that fall on the same pixel are drawn once.
        if (b - drawnAt < least && !marked) continue;
        drawnAt = b;
        if (marked) later.push(i);
        else drawFlow(i);
      }
    }
    pen.strokeStyle = inks.accent;
    for (const i of later) drawFlow(i);
  }

  const flowWidth = (node) => Math.max(WIDEST_FLOW * model.shareOf(node), 1.2);

  // The branches of a node leave it side by side; each ends at the middle of its card.
  function flowOf(i) {
    const node = plan.nodes[i],
      up = plan.above[i],
      p = parent[node];
    let all = 0,
      before = 0;
    for (let c = p + 1, b = 0; c < p + size[p] && b <= 40; c += size[c], b++) {
      if (c === node) before = all;
      all += flowWidth(c);
    }
    const width = flowWidth(node),
      most = plan.form.breadth * 0.4;
    const leaves = Math.min(Math.max(before + width / 2 - all / 2, -most), most);
    const out = isDown() ? CARD.height : CARD.width;
    // If cards can be read, the label of the branch is written between them.
    const free = isDown() && view.k >= READABLE ? plan.form.label : 0;
    return {
      width,
      from: [across(up) + leaves, along(up) + out],
      to: [across(i), along(i) - free],
    };
  }

  function drawFlow(i) {
    const { width, from, to } = flowOf(i);
    const bend = (to[1] - from[1]) * 0.62;
    pen.lineWidth = Math.max(width * view.k, 0.8);
    pen.beginPath();
    pen.moveTo(...at(...from));
    pen.bezierCurveTo(...at(from[0], from[1] + bend), ...at(to[0], to[1] - bend), ...at(...to));
    pen.stroke();
  }

  function eachSeen(seen, visit) {
    const [first, last] = levelsSeen(seen);
    const half = plan.form.breadth / 2 + plan.form.label;
    for (let d = first; d <= last; d++) {
      const level = plan.levels[d];
      for (let n = firstFrom(level, seen.first - half, across); n < level.length; n++) {
        if (across(level[n]) - half > seen.last) break;
        visit(level[n]);
      }
    }
  }

  // Too small to read: marks in the colour of the answer.
  function drawMarks(seen) {
    let drawnAt = -Infinity,
      row = -1;
    const least = 1.1 / view.k;
    const [wide, high] = isDown() ? [view.k, view.tall] : [view.tall, view.k];
    const width = Math.max(CARD.width * wide, 1.4),
      height = Math.max(CARD.height * high, 1.4);
    eachSeen(seen, (i) => {
      const node = plan.nodes[i],
        b = across(i);
      if (depth[node] !== row) [row, drawnAt] = [depth[node], -Infinity];
      const marked =
        choice.highlighted.has(node) || choice.matches.has(node) || node === choice.selected;
      if (b - drawnAt < least && !marked) return;
      drawnAt = b;
      let [x, y] = at(b, along(i));
      if (isDown()) x -= width / 2;
      else y -= height / 2;
      drawMark(node, marked, x, y, width, height);
    });
    pen.globalAlpha = 1;
  }

  function drawMark(node, marked, x, y, width, height) {
    pen.fillStyle = marked ? inks.accent : inks[inkOf(node)];
    pen.globalAlpha = isOpen(node) && !marked ? 0.45 : 1;
    pen.fillRect(x, y, width, height);
    if (marked || width <= 18 || height <= 9) return;
    pen.globalAlpha = 1;
    pen.fillStyle = inks.card;
    pen.fillRect(x + 1.5, y + 1.5, width - 3, height - 3);
    pen.fillStyle = inks[inkOf(node)];
    const share = isClass ? model.probability(node) : 1;
    pen.fillRect(x + 4, y + height / 2 - 2, (width - 8) * share, 4);
  }

  // -- cards ----------------------------------------------------------------------

  const focused = () => {
    const card = page.root.activeElement;
    return card && card.parentNode === layer ? Number(card.dataset.node) : -1;
  };

  function clearCards(except = -1) {
    for (const [node, card] of cardOf) {
      if (node === except && plan.place[node] >= 0) continue;
      card.remove();
      cardOf.delete(node);
    }
  }

  // The top left corner of a card.
  const cornerOf = (i) =>
    isDown() ? [across(i) - CARD.width / 2, along(i)] : [along(i), across(i) - CARD.height / 2];

  function drawCards(seen) {
    const wanted = new Set();
    const around = {
      first: seen.first - 60,
      last: seen.last + 60,
      from: seen.from - 60,
      to: seen.to + 60,
    };
    eachSeen(around, (i) => wanted.add(plan.nodes[i]));
    for (const node of [focused(), choice.selected]) {
      if (node >= 0 && plan.place[node] >= 0) wanted.add(node);
    }
    for (const [node, card] of cardOf) {
      if (wanted.has(node)) continue;
      card.remove();
      cardOf.delete(node);
    }
    const fresh = [];
    for (const node of wanted) {
      let card = cardOf.get(node);
      if (!card) {
        card = makeCard(node);
        cardOf.set(node, card);
        fresh.push(card);
      }
      const [x, y] = cornerOf(plan.place[node]);
      card.style.transform = `translate(${x}px, ${y}px)`;
    }
    layer.append(...fresh);
    markCards();
  }

  function markCards() {
    for (const [node, card] of cardOf) {
      const on = node === choice.selected;
      card.setAttribute("aria-selected", on);
      card.tabIndex = on ? 0 : -1;
      card.classList.toggle("on-path", choice.highlighted.has(node));
      card.classList.toggle("match", choice.matches.has(node));
    }
  }

  // The node at a place on the screen; -1 if there is none.
  function nodeAt(x, y) {
    const [b, d] = worldAt(x, y);
    const level = plan.levels[Math.floor(d / plan.form.level)];
    const cards = isDown() ? CARD.height : CARD.width;
    if (!level || d % plan.form.level > Math.max(cards, 6 / view.tall)) return -1;
    const half = Math.max(plan.form.breadth / 2, 3 / view.k);
    const i = level[Math.min(firstFrom(level, b - half, across), level.length - 1)];
    return Math.abs(across(i) - b) <= half ? plan.nodes[i] : -1;
  }

  function setDirection(to) {
    direction = to;
    layer.classList.toggle("right", to === "right");
  }

  return {
    view,
    cardOf,
    inkOf,
    shareBar,
    setZoom,
    readInks,
    relayout,
    redraw,
    drawNow,
    markCards,
    clearCards,
    focused,
    nodeAt,
    cornerOf,
    flowOf,
    setDirection,
    plan: () => plan,
    direction: () => direction,
    inks: () => inks,
    scale: () => scale,
  };
}
