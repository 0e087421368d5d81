// The picture that the reader sees as an SVG file, with literal colours.

import { count, percent, shortened } from "./numbers.js";
import { CARD } from "./layout.js";
import { sharesOf } from "./cards.js";

const FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif";
const PAD = 24;
const BADGE = 60; // room for the count of folded leaves beside a card

const escaped = (text) =>
  String(text)
    // eslint-disable-next-line no-control-regex -- XML forbids these characters
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const round = (x) => Number(x.toFixed(2));

// An element as text.
function tag(name, props, inside = "") {
  const list = Object.entries(props).map(
    ([key, to]) => ` ${key}="${escaped(typeof to === "number" ? round(to) : to)}"`,
  );
  return `<${name}${list.join("")}${inside ? `>${inside}</${name}>` : "/>"}`;
}

// The size of the picture of a layout, and the height of what stands above the tree.
export function pictureSize(model, { box, direction }, title) {
  const head = (title ? 24 : 0) + (model.isClass ? 24 : 0);
  const beside = direction === "right" ? BADGE : 0;
  return {
    width: box.right - box.left + 2 * PAD + beside,
    height: box.bottom - box.top + 2 * PAD + head,
    head,
  };
}

// `look` has the layout, the colours and how wide a text is: { plan, inks, inkOf, scale,
// cornerOf, flowOf, isOpen, measure }. An empty title is left out.
export function treeSvg(model, look, title) {
  const { plan, inks } = look;
  const { box } = plan;
  const { width, height, head } = pictureSize(model, plan, title);
  const move = `translate(${round(PAD - box.left)} ${round(PAD - box.top + head)})`;
  const flows = plan.nodes.slice(1).map((_, i) => flowMark(look, i + 1));
  const cards = plan.nodes.map((node, i) => cardMarks(model, look, node, i));
  const above =
    tag("title", {}, escaped(title || model.story.title)) +
    tag("rect", { width, height, fill: inks.card }) +
    (title ? words(PAD, PAD + 10, title, { size: 16, fill: inks.text, bold: true }) : "") +
    legend(model, look, width, PAD + (title ? 22 : 0));
  const props = {
    xmlns: "http://www.w3.org/2000/svg",
    width,
    height,
    viewBox: `0 0 ${round(width)} ${round(height)}`,
    "font-family": FONT,
  };
  return tag("svg", props, above + tag("g", { transform: move }, flows.join("") + cards.join("")));
}

function words(x, y, text, { size, fill, bold = false, anchor = "start" }) {
  const props = { x, y, "font-size": size, fill, "text-anchor": anchor };
  if (bold) props["font-weight"] = 600;
  return tag("text", props, escaped(text) || " ");
}

function legend(model, { inks, measure }, width, y) {
  if (!model.isClass) return "";
  let x = PAD,
    out = "";
  model.classes.forEach((name, k) => {
    const ink = model.target.inks[k],
      text = shortened(name, 160, (t) => measure(t, 12));
    if (ink === "other" || x + measure(text, 12) + 40 > width) return;
    out += tag("rect", { x, y, width: 10, height: 10, rx: 2, fill: inks[ink] });
    out += words(x + 15, y + 9, text, { size: 12, fill: inks.text });
    x += measure(text, 12) + 32;
  });
  return out;
}

function flowMark({ plan, inks, flowOf }, i) {
  const { width, from, to } = flowOf(i);
  const bend = (to[1] - from[1]) * 0.62;
  const at = ([b, d]) => (plan.direction === "down" ? [b, d] : [d, b]).map(round).join(" ");
  const d = `M${at(from)}C${at([from[0], from[1] + bend])} ${at([to[0], to[1] - bend])} ${at(to)}`;
  return tag("path", { d, fill: "none", stroke: inks.flow, "stroke-width": width });
}

function cardMarks(model, look, node, i) {
  const { inks, measure, isOpen } = look;
  const [x, y] = look.cornerOf(i);
  const end = model.isEnd(node),
    ink = inks[look.inkOf(node)];
  const left = x + (end ? 16 : 12),
    edge = x + CARD.width - 12;
  const share = end && model.isClass ? percent(model.probability(node)) : "";
  const name = end ? model.answerWords(node) : model.columns[model.feature[node]].name;
  const room = edge - left - (share ? measure(share, 13) + 8 : 0);
  const small = { size: 12, fill: inks.muted };
  let out = tag("rect", {
    x,
    y,
    width: CARD.width,
    height: CARD.height,
    rx: 10,
    fill: end ? inks.leaf : inks.card,
    stroke: inks.line,
  });
  if (end)
    out += tag("rect", {
      x: x + 5,
      y: y + 9,
      width: 3.5,
      height: CARD.height - 18,
      rx: 2,
      fill: ink,
    });
  if (node) {
    const wide = (label) => measure(label, 12);
    const above = CARD.width + 10;
    const label = model.branchLabel(
      model.parent[node],
      model.branch[node],
      (each) => wide(each) <= above,
    );
    const text = shortened(label, above, wide);
    out += words(x + CARD.width / 2, y - 6, text, { size: 12, fill: inks.text, anchor: "middle" });
  }
  out += words(
    left,
    y + 21,
    shortened(name, room, (t) => measure(t, 13.5, true)),
    { size: 13.5, fill: inks.text, bold: true },
  );
  if (share) out += words(edge, y + 21, share, { size: 13, fill: inks.text, anchor: "end" });
  out += model.isClass
    ? shareMarks(model, look, node, left, y + 30, edge - left)
    : stripMarks(model, look, node, left, y + 29, edge - left);
  out += words(left, y + 58, count(model.rows[node], "row"), small);
  out += words(edge, y + 58, percent(model.shareOf(node)), { ...small, anchor: "end" });
  if (!end && !isOpen(node)) {
    const right = look.plan.direction === "right";
    const at = right
      ? [x + CARD.width + 22, y + CARD.height / 2]
      : [x + CARD.width / 2, y + CARD.height];
    out += foldMark(model, look, node, ...at);
  }
  return tag("g", {}, out);
}

function foldMark(model, { inks, measure }, node, x, y) {
  const text = `+${count(model.leavesBelow(node), "leaf", "leaves")}`;
  const width = measure(text, 12) + 16;
  return (
    tag("rect", { x: x - width / 2, y: y - 9, width, height: 18, rx: 9, fill: inks.text }) +
    words(x, y + 4, text, { size: 12, fill: inks.page, anchor: "middle" })
  );
}

function shareMarks(model, { inks }, node, x, y, width) {
  let at = x,
    out = tag("rect", { x, y, width, height: 9, rx: 3, fill: inks.track });
  for (const { share, ink, tint } of sharesOf(model, node)) {
    const wide = Math.max(share * width - 1, 0.5);
    const props = { x: at, y, width: wide, height: 9, fill: inks[ink] };
    out += tag("rect", tint ? { ...props, opacity: 0.4 } : props);
    at += share * width;
  }
  return out;
}

function stripMarks(model, { inks, inkOf, scale }, node, x, y, width) {
  const { low, high } = scale;
  const at = (value) => x + Math.min(Math.max((value - low) / (high - low || 1), 0), 1) * width;
  const [q1, q2, q3] = model.quartiles.map((q) => at(q[node]));
  return (
    tag("rect", { x, y: y + 5, width, height: 1.5, fill: inks.track }) +
    tag("rect", {
      x: q1,
      y: y + 1.5,
      width: Math.max(q3 - q1, 2),
      height: 8,
      rx: 2,
      fill: inks[inkOf(node)],
    }) +
    tag("rect", { x: q2, y, width: 1.5, height: 11, fill: inks.text }) +
    tag("circle", {
      cx: at(model.numberOf(node)),
      cy: y + 5.5,
      r: 3,
      fill: inks.card,
      stroke: inks.text,
      "stroke-width": 1.5,
    })
  );
}
