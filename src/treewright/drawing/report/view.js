// The picture of the tree. Only what is visible is drawn: branches on a canvas; cards as
// elements if they are large enough to read, otherwise as marks on the canvas.

const stage = byId("stage"), canvas = byId("edges"), layer = byId("cards");
const pen = canvas.getContext("2d");
const READABLE = 0.42, WIDEST_FLOW = 20, LONGEST_TWEEN = 600;
const LEAST_ZOOM = 0.0001, MOST_ZOOM = 2.5;
const still = matchMedia("(prefers-reduced-motion: reduce)");

let plan = null; // the layout
let shownAt = null; // the current positions of the nodes, animated towards the plan
// Screen = world x (k, tall) + (x, y). Zoomed far out, a tree is much wider than high;
// it is then stretched vertically by `tall` to fill the stage.
const view = { k: 1, tall: 1, x: 0, y: 0, width: 0, height: 0 };
const toX = (x) => x * view.k + view.x;
const toY = (y) => y * view.tall + view.y;
function setZoom(k) {
  view.k = Math.min(Math.max(k, LEAST_ZOOM), MOST_ZOOM);
  const stretched = plan ? Math.min(READABLE, (view.height - 90) / plan.height) : 0;
  view.tall = view.print ? view.k : Math.max(view.k, stretched);
}
const cardOf = new Map(); // cards by node
let inks = {}, drawn = 0, tween = null;
let scale = { low: 0, high: 1 }; // of numbers

const topOf = (i) => depth[plan.nodes[i]] * LEVEL;
const leftOf = (i) => (shownAt ? shownAt.x[i] : plan.x[i]);
const heightOf = (i) => (shownAt ? shownAt.y[i] : topOf(i));

function readInks() {
  const style = getComputedStyle(document.documentElement);
  const names = ["flow", "accent", "line", "card", "leaf", "track", "muted", "text", "other", "page"];
  for (let k = 0; k < 8; k++) names.push(`c${k}`, `r${k}`);
  inks = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

function inkOf(node) {
  if (isClass) return target.inks[label[node]];
  const part = (numberOf(node) - scale.low) / (scale.high - scale.low || 1);
  return `r${Math.min(Math.max(Math.floor(part * 8), 0), 7)}`;
}

// -- laying out -------------------------------------------------------------------

// Lay out again; the node `anchor` stays where it is on the screen.
function relayout(anchor = -1, animate = true) {
  const before = plan, kept = anchor >= 0 && plan ? plan.place[anchor] : -1;
  const was = kept >= 0 ? [leftOf(kept), heightOf(kept)] : null;
  const old = before && { plan: before, x: Array.from(before.nodes, (_, i) => leftOf(i)) };
  plan = layOut();
  shownAt = tween = null;
  if (!isClass) readScale();
  if (was && plan.place[anchor] >= 0) {
    const at = plan.place[anchor];
    view.x += (was[0] - plan.x[at]) * view.k;
    view.y += (was[1] - topOf(at)) * view.tall;
  }
  setZoom(view.k);
  clearCards();
  if (animate && old && !still.matches && plan.nodes.length < LONGEST_TWEEN && was) {
    startTween(old, was[0] - plan.x[plan.place[anchor]]);
  }
  stage.setAttribute(
    "aria-label",
    `The tree: ${count(leavesBelow(0), "leaf", "leaves")}, ${count(plan.nodes.length, "node")} shown`,
  );
  redraw();
}

function readScale() {
  let low = Infinity, high = -Infinity;
  for (const node of plan.nodes) {
    low = Math.min(low, quartiles[0][node], numberOf(node));
    high = Math.max(high, quartiles[2][node], numberOf(node));
  }
  scale = { low, high };
}

// A node moves from its old position, or from that of its nearest visible ancestor.
function startTween(old, moved) {
  const from = plan.nodes.map((node) => {
    let i = node;
    while (i >= 0 && old.plan.place[i] < 0) i = parent[i];
    const at = old.plan.place[Math.max(i, 0)];
    return [old.x[at] - moved, depth[Math.max(i, 0)] * LEVEL];
  });
  tween = { from, start: performance.now() };
  shownAt = { x: new Float64Array(from.length), y: new Float64Array(from.length) };
}

function stepTween(now) {
  const t = Math.min((now - tween.start) / 240, 1);
  const e = 1 - (1 - t) ** 3;
  tween.from.forEach(([x, y], i) => {
    shownAt.x[i] = x + (plan.x[i] - x) * e;
    shownAt.y[i] = y + (topOf(i) - y) * e;
  });
  if (t >= 1) tween = shownAt = null;
}

// -- drawing ----------------------------------------------------------------------

function redraw() {
  if (!drawn) drawn = requestAnimationFrame(draw);
}

function draw(now) {
  drawn = 0;
  if (!plan || !view.width) return;
  if (tween) stepTween(now);
  const ratio = view.print || devicePixelRatio || 1;
  if (canvas.width !== Math.round(view.width * ratio) || canvas.height !== Math.round(view.height * ratio)) {
    canvas.width = Math.round(view.width * ratio);
    canvas.height = Math.round(view.height * ratio);
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, view.width, view.height);
  const seen = {
    left: -view.x / view.k, right: (view.width - view.x) / view.k,
    top: -view.y / view.tall, bottom: (view.height - view.y) / view.tall,
  };
  drawFlows(seen);
  if (view.k >= READABLE || view.print) drawCards(seen);
  else {
    clearCards(focused());
    drawMarks(seen);
  }
  layer.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.k})`;
  if (tween) redraw();
}

// First entry of a level whose `at` is not below x; `at` increases along the level.
function firstFrom(level, x, at) {
  let low = 0, high = level.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(level[middle]) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

const levelsSeen = (seen, more = 0) => {
  const last = plan.levels.length - 1;
  if (shownAt) return [0, last];
  return [
    Math.max(Math.floor((seen.top - CARD.height - 30) / LEVEL), 0),
    Math.min(Math.floor(seen.bottom / LEVEL) + more, last),
  ];
};

function drawFlows(seen) {
  const [first, last] = levelsSeen(seen, 1);
  pen.strokeStyle = inks.flow;
  const later = [];
  const least = (view.k < 0.1 ? 1.6 : 0.6) / view.k;
  for (let d = Math.max(first, 1); d <= last; d++) {
    const level = plan.levels[d];
    const from = firstFrom(level, seen.left, (i) => Math.max(leftOf(i), leftOf(plan.above[i])) + WIDEST_FLOW);
    let drawnAt = -Infinity;
    for (let n = from; n < level.length; n++) {
      const i = level[n], x = leftOf(i);
      if (Math.min(x, leftOf(plan.above[i])) - WIDEST_FLOW > seen.right) break;
      // Zoomed far out, branches that fall on the same pixel are drawn once.
      if (x - drawnAt < least && !state.highlighted.has(plan.nodes[i])) continue;
      drawnAt = x;
      if (state.highlighted.has(plan.nodes[i])) later.push(i);
      else drawFlow(i);
    }
  }
  pen.strokeStyle = inks.accent;
  for (const i of later) drawFlow(i);
}

const flowWidth = (node) => Math.max(WIDEST_FLOW * shareOf(node), 1.2);

// The branches of a node leave it side by side; each ends at the middle of its card.
function drawFlow(i) {
  const node = plan.nodes[i], up = plan.above[i];
  let all = 0, before = 0;
  const p = parent[node];
  for (let c = p + 1, b = 0; c < p + size[p]; c += size[c], b++) {
    if (c === node) before = all;
    all += flowWidth(c);
    if (b > 40) break;
  }
  const width = flowWidth(node);
  const x0 = toX(leftOf(up) + Math.min(Math.max(before + width / 2 - all / 2, -60), 60));
  const y0 = toY(heightOf(up) + CARD.height);
  const x1 = toX(leftOf(i)), y1 = toY(heightOf(i) - 20);
  pen.lineWidth = Math.max(width * view.k, 0.8);
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.bezierCurveTo(x0, y0 + (y1 - y0) * 0.62, x1, y1 - (y1 - y0) * 0.62, x1, y1);
  // If cards can be read, the label of the branch is written between them.
  if (view.k < READABLE && !view.print) pen.lineTo(x1, toY(heightOf(i)));
  pen.stroke();
}

function eachSeen(seen, visit) {
  const [first, last] = levelsSeen(seen);
  for (let d = first; d <= last; d++) {
    const level = plan.levels[d];
    const half = CARD.width / 2;
    for (let n = firstFrom(level, seen.left - half, leftOf); n < level.length; n++) {
      if (leftOf(level[n]) - half > seen.right) break;
      visit(level[n]);
    }
  }
}

// Too small to read: marks in the colour of the answer.
function drawMarks(seen) {
  let drawnAt = -Infinity, row = -1;
  const least = 1.1 / view.k;
  const width = Math.max(CARD.width * view.k, 1.4), height = Math.max(CARD.height * view.tall, 2);
  const inside = width > 18 && height > 9;
  eachSeen(seen, (i) => {
    const node = plan.nodes[i], at = leftOf(i);
    if (depth[node] !== row) [row, drawnAt] = [depth[node], -Infinity];
    const marked = state.highlighted.has(node) || state.matches.has(node) || node === state.selected;
    if (at - drawnAt < least && !marked) return;
    drawnAt = at;
    const x = toX(at) - width / 2, y = toY(heightOf(i));
    pen.fillStyle = marked ? inks.accent : inks[inkOf(node)];
    pen.globalAlpha = isOpen(node) && !marked ? 0.45 : 1;
    pen.fillRect(x, y, width, height);
    if (inside && !marked) {
      pen.globalAlpha = 1;
      pen.fillStyle = inks.card;
      pen.fillRect(x + 1.5, y + 1.5, width - 3, height - 3);
      pen.fillStyle = inks[inkOf(node)];
      pen.fillRect(x + 4, y + height / 2 - 2, (width - 8) * (isClass ? confidence(node) : 1), 4);
    }
  });
  pen.globalAlpha = 1;
}

// -- cards ------------------------------------------------------------------------

const focused = () => {
  const card = document.activeElement;
  return card && card.parentNode === layer ? Number(card.dataset.node) : -1;
};

function clearCards(except = -1) {
  for (const [node, card] of cardOf) {
    if (node === except && plan.place[node] >= 0) continue;
    card.remove();
    cardOf.delete(node);
  }
}

function drawCards(seen) {
  const wanted = new Set();
  const around = {
    left: seen.left - 60, right: seen.right + 60, top: seen.top - 60, bottom: seen.bottom + 60,
  };
  eachSeen(around, (i) => wanted.add(plan.nodes[i]));
  const keep = focused();
  if (keep >= 0 && plan.place[keep] >= 0) wanted.add(keep);
  if (!wanted.has(state.selected) && plan.place[state.selected] >= 0) wanted.add(state.selected);
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
    const i = plan.place[node];
    card.style.transform = `translate(${leftOf(i) - CARD.width / 2}px, ${heightOf(i)}px)`;
  }
  layer.append(...fresh);
  markCards();
}

function markCards() {
  for (const [node, card] of cardOf) {
    const on = node === state.selected;
    card.setAttribute("aria-selected", on);
    card.tabIndex = on ? 0 : -1;
    card.classList.toggle("on-path", state.highlighted.has(node));
    card.classList.toggle("match", state.matches.has(node));
  }
}

// What a screen reader adds to the text of a card.
function moreWords(node) {
  const answer = isClass
    ? `answers ${cut(classes[label[node]], 100)}, ${percent(confidence(node))};`
    : `answers ${figures(numberOf(node))};`;
  if (isEnd(node)) return "is the answer;";
  const hidden = isOpen(node) ? "" : ` ${count(leavesBelow(node), "leaf", "leaves")} folded;`;
  return `is asked here; ${answer}${hidden}`;
}

function makeCard(node) {
  const end = isEnd(node), open = isOpen(node);
  const question = end ? answerWords(node) : columns[feature[node]].name;
  const beside = end && isClass ? percent(confidence(node)) : "";
  const siblings = node ? children(parent[node]).length : 1;
  const card = el("div", {
    class: `card${end ? " leaf" : ""}`, role: "treeitem", id: `node-${node}`,
    "aria-level": depth[node] + 1, "aria-setsize": siblings, "aria-posinset": branch[node] < 0 ? 1 : branch[node] + 1,
    "aria-expanded": end ? null : String(open), "data-node": node,
  });
  if (node) {
    card.append(el("div", { class: "cond", title: conditionTo(node) },
      el("span", { class: "sr", text: `${cut(columns[feature[parent[node]]].name, 60)} ` }),
      branchLabel(parent[node], branch[node])));
  }
  if (end) card.append(el("i", { class: "tab", style: { background: `var(--${inkOf(node)})` } }));
  card.append(
    el("div", { class: "main" },
      el("b", { text: cut(question, 80), title: cut(question, 1000) }),
      el("span", { class: "sr", text: moreWords(node) }),
      beside ? el("span", { text: beside }) : null),
    isClass ? shareBar(node) : strip(node),
    el("div", { class: "foot" },
      el("span", { text: count(rows[node], "row") }),
      el("span", { text: percent(shareOf(node)) })),
  );
  if (!end) {
    card.append(el("span", { class: "fold", "data-fold": "1", "aria-hidden": "true", title: open ? "Fold" : "Unfold",
      text: open ? "−" : `+${thousands(leavesBelow(node))}` }));
  }
  return card;
}

// The shares of the classes as one bar.
function shareBar(node, of = value) {
  const bar = el("div", { class: "shares-bar" });
  const shares = classShares(node, of);
  let other = 0;
  shares.forEach((share, k) => {
    if (share <= 0) return;
    if (target.inks[k] === "other") { other += share; return; }
    bar.append(el("i", { style: { flexGrow: String(share), background: `var(--${target.inks[k]})` } }));
  });
  if (other > 0) bar.append(el("i", { style: { flexGrow: String(other), background: "var(--other)" } }));
  return bar;
}

// The middle half of the rows as a box, the median as a line, the answer as a dot.
function strip(node) {
  const span = scale.high - scale.low || 1;
  const at = (x) => `${Math.min(Math.max(((x - scale.low) / span) * 100, 0), 100)}%`;
  const [q1, q2, q3] = quartiles.map((q) => q[node]);
  return el("div", { class: "strip" },
    el("i", { class: "box", style: { left: at(q1), width: `calc(max(${((q3 - q1) / span) * 100}%, 2px))`, background: `var(--${inkOf(node)})` } }),
    el("i", { class: "median", style: { left: at(q2) } }),
    el("i", { class: "dot", style: { left: at(numberOf(node)) } }));
}
