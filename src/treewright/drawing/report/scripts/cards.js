// The card of a node, and the bars that show its classes or numbers.

import { count, cut, percent, figures, shortened, thousands } from "./numbers.js";
import { CARD } from "./layout.js";
import { el, textWidth } from "./dom.js";

// The parts of a bar of classes. If there are more classes than colours, the class of the
// node comes first in full ink, and the others are tints.
export function sharesOf(model, node, of = model.value) {
  const { inks } = model.target;
  const shares = [...model.classShares(node, of)];
  const parts = [];
  const many = inks.includes("other"),
    own = model.label[node];
  const add = (share, ink, tint = false) => share > 0 && parts.push({ share, ink, tint });
  if (many) add(shares[own], ownInk(model, node));
  shares.forEach((share, k) => {
    if (inks[k] !== "other" && !(many && k === own)) add(share, inks[k], many);
  });
  const other = shares.filter((_, k) => inks[k] === "other" && k !== own);
  add(
    other.reduce((a, b) => a + b, 0),
    "other",
    many,
  );
  return parts;
}

// The ink of the class of a node: never grey.
export function ownInk(model, node) {
  const { inks, own_inks } = model.target;
  return (own_inks || inks)[model.label[node]];
}

// `scale` returns the range of numbers that the picture shows.
export function makeCards(page, scale) {
  const { model, isOpen } = page;
  const { isClass, classes, columns, label, quartiles, rows } = model;

  // The name of the colour of a node: its class, or its place between low and high.
  function inkOf(node) {
    if (isClass) return ownInk(model, node);
    const { low, high } = scale();
    const part = (model.numberOf(node) - low) / (high - low || 1);
    return `r${Math.min(Math.max(Math.floor(part * 8), 0), 7)}`;
  }

  // What a screen reader adds to the text of a card.
  function moreWords(node) {
    const answer = isClass
      ? `answers ${cut(classes[label[node]], 100)}, probability ${percent(model.probability(node))};`
      : `answers ${figures(model.numberOf(node))};`;
    if (model.isEnd(node)) return "is the answer;";
    const folded = count(model.leavesBelow(node), "leaf", "leaves");
    return `is asked here; ${answer}${isOpen(node) ? "" : ` ${folded} folded;`}`;
  }

  function makeCard(node) {
    const end = model.isEnd(node),
      open = isOpen(node);
    const question = end ? model.answerWords(node) : columns[model.feature[node]].name;
    const beside = end && isClass ? percent(model.probability(node)) : "";
    const card = el("div", {
      class: `card${end ? " leaf" : ""}`,
      role: "treeitem",
      id: `node-${node}`,
      "aria-level": model.depth[node] + 1,
      "aria-setsize": node ? model.children(model.parent[node]).length : 1,
      "aria-posinset": node ? model.branch[node] + 1 : 1,
      "aria-expanded": end ? null : String(open),
      "data-node": node,
    });
    if (node) card.append(conditionLabel(node));
    if (end) card.append(el("i", { class: "tab", style: { background: `var(--${inkOf(node)})` } }));
    card.append(
      el(
        "div",
        { class: "main" },
        nameOf(question, beside, end),
        el("span", { class: "sr", text: moreWords(node) }),
        beside ? el("span", { text: beside }) : null,
      ),
      isClass ? shareBar(node) : strip(node),
      el(
        "div",
        { class: "foot" },
        el("span", { text: count(rows[node], "row") }),
        el("span", { text: percent(model.shareOf(node)) }),
      ),
    );
    if (!end) card.append(foldButton(node, open));
    return card;
  }

  // A name without its middle if it is too long for the card; in full for readers of
  // the title and of the screen.
  function nameOf(name, beside, end) {
    const room = CARD.width - (end ? 32 : 28) - (beside ? textWidth(beside, 13.5) + 8 : 0);
    const short = shortened(cut(name, 200), room, (text) => textWidth(text, 13.5, true));
    if (short === name) return el("b", { text: name, title: name });
    return el(
      "b",
      { title: cut(name, 1000) },
      el("span", { text: short, "aria-hidden": "true" }),
      el("span", { class: "sr", text: cut(name, 80) }),
    );
  }

  function conditionLabel(node) {
    const up = model.parent[node];
    return el(
      "div",
      { class: "cond", title: model.conditionTo(node) },
      el("span", { class: "sr", text: `${cut(columns[model.feature[up]].name, 60)} ` }),
      model.branchLabel(up, model.branch[node], (text) => textWidth(text, 12) <= CARD.width + 12),
    );
  }

  function foldButton(node, open) {
    const below = count(model.leavesBelow(node), "leaf", "leaves");
    return el("span", {
      class: "fold",
      "data-fold": "1",
      "aria-hidden": "true",
      title: open ? "Fold" : `Show the ${below} below`,
      text: open ? "−" : `+${thousands(model.leavesBelow(node))}`,
    });
  }

  // The shares of the classes as one bar, of the training rows or of the test rows.
  function shareBar(node, of = model.value) {
    const bar = el("div", { class: "shares-bar" });
    for (const { share, ink, tint } of sharesOf(model, node, of)) {
      const style = { flexGrow: String(share), background: `var(--${ink})` };
      bar.append(el("i", { class: tint ? "tint" : null, style }));
    }
    return bar;
  }

  // The middle half of the rows as a box, the median as a line, the answer as a dot.
  function strip(node) {
    const { low, high } = scale();
    const span = high - low || 1;
    const at = (x) => `${Math.min(Math.max(((x - low) / span) * 100, 0), 100)}%`;
    const [q1, q2, q3] = quartiles.map((q) => q[node]);
    const width = `calc(max(${((q3 - q1) / span) * 100}%, 2px))`;
    return el(
      "div",
      { class: "strip" },
      el("i", {
        class: "box",
        style: { left: at(q1), width, background: `var(--${inkOf(node)})` },
      }),
      el("i", { class: "median", style: { left: at(q2) } }),
      el("i", { class: "dot", style: { left: at(model.numberOf(node)) } }),
    );
  }

  return { inkOf, makeCard, shareBar };
}
