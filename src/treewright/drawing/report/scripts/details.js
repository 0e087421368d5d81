// The panel beside the tree: one node, with training and test figures side by side.

import { count, cut, figures, general, percent, thousands } from "./numbers.js";
import { copyText, el, swatch } from "./dom.js";
import { IS_MISSING } from "./constants.js";
import { real } from "./arrays.js";

const MOST_CLASSES = 8;

export function startDetails(page, picture, select) {
  const { model, byId } = page;
  const { isClass, test, testRows, rows, classes, target, columns, story, path } = model;

  function show(node) {
    const end = model.isEnd(node);
    const title = node === 0 ? "All rows" : end ? "Leaf" : "Group";
    const head = el(
      "div",
      { class: "node-head" },
      el("h3", { text: title }),
      el("span", { class: "muted", text: `node ${node}, depth ${model.depth[node]}` }),
    );
    const parts = [head, conditionList(node), copyButtons(node), ...figuresOf(node)];
    if (!end) parts.push(...splitParts(node));
    else parts.push(endWords(node));
    parts.push(collapseWords(node));
    byId("details").replaceChildren(...parts.filter(Boolean));
  }

  function conditionList(node) {
    const conditions = model
      .conditionsOf(node)
      .map((c) => model.conditionWords(c, { most: 12, longest: 60 }));
    if (!conditions.length)
      return el("p", { class: "muted", text: "No condition: every row starts here." });
    return el(
      "ul",
      { class: "chips", "aria-label": "Conditions" },
      ...conditions.map((text) => el("li", { text })),
    );
  }

  function copyButtons(node) {
    const button = (text, what) =>
      el("button", {
        type: "button",
        class: "quiet",
        text,
        onclick: (event) => copyText(what(), event.target),
      });
    return el(
      "p",
      { class: "copies" },
      button("Copy rule", () => model.ruleSentence(node)),
      button("Copy link", () => `${location.href.replace(/#.*/, "")}#node=${node}`),
    );
  }

  // -- figures --------------------------------------------------------------------

  function figuresOf(node) {
    const held = test && testRows[node] > 0;
    const none = test ? "–" : null;
    const share = () =>
      percent(model.testWeight[0] > 0 ? model.testWeight[node] / model.testWeight[0] : 0);
    const lines = [
      ["Rows", thousands(rows[node]), test ? thousands(testRows[node]) : null],
      ["Share of all", percent(model.shareOf(node)), test ? share() : null],
      ...(isClass ? classLines(node, held, none) : numberLines(node, held, none)),
    ];
    return [answerLine(node), bars(node, held), figuresTable(lines), ...warnings(node)];
  }

  function answerLine(node) {
    return el(
      "p",
      { class: "answer" },
      el("span", { class: "muted", text: "Answer " }),
      el("b", { text: cut(model.answerWords(node), 200) }),
      isClass ? el("span", { text: `, probability ${percent(model.probability(node))}` }) : null,
    );
  }

  function bars(node, held) {
    if (!isClass) return null;
    if (!held || !model.testValue) return picture.shareBar(node);
    return el(
      "div",
      { class: "two-bars" },
      el("span", { class: "muted", text: "training" }),
      picture.shareBar(node),
      el("span", { class: "muted", text: "test" }),
      picture.shareBar(node, model.testValue),
    );
  }

  function figuresTable(lines) {
    return el(
      "table",
      { class: "figures" },
      el("caption", { class: "sr", text: "Figures of this node" }),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, el("span", { class: "sr", text: "Figure" })),
          el("th", { scope: "col", text: "Training" }),
          test ? el("th", { scope: "col", text: "Test" }) : null,
        ),
      ),
      el(
        "tbody",
        {},
        ...lines.map(([name, train, other, ink]) =>
          el(
            "tr",
            { class: ink ? "of-class" : null },
            el(
              "th",
              { scope: "row" },
              ink ? swatch(ink) : null,
              el("span", { text: name, title: name }),
            ),
            el("td", { text: train }),
            test ? el("td", { text: other }) : null,
          ),
        ),
      ),
    );
  }

  function classLines(node, held, none) {
    const own = model.classShares(node);
    const other = held && model.testValue ? model.classShares(node, model.testValue) : null;
    const order = Array.from(own.keys()).sort((a, b) => own[b] - own[a] || a - b);
    const shown = order.filter((k) => own[k] > 0 || (other && other[k] > 0));
    const lines = shown
      .slice(0, MOST_CLASSES)
      .map((k) => [
        cut(classes[k], 40),
        percent(own[k]),
        other ? percent(other[k]) : none,
        target.inks[k],
      ]);
    if (shown.length > MOST_CLASSES) {
      const rest = shown.slice(MOST_CLASSES);
      const sum = (of) => percent(rest.reduce((total, k) => total + of[k], 0));
      lines.push([
        count(rest.length, "other class", "other classes"),
        sum(own),
        other ? sum(other) : none,
        "other",
      ]);
    }
    const costs = story.unit === "cost";
    const wrong = (x) => (costs ? figures(x) : percent(x));
    const name = costs ? "Mean cost here" : "Wrong if answered here";
    return [...lines, [name, wrong(model.risk[node]), held ? wrong(model.testError[node]) : none]];
  }

  function numberLines(node, held, none) {
    const { mean, testMean, quartiles, asShown } = model;
    const middle = `${figures(quartiles[0][node])} to ${figures(quartiles[2][node])}`;
    const lines = [
      [
        target.errorHere,
        figures(asShown(model.risk[node])),
        held ? figures(asShown(model.testError[node])) : none,
      ],
      ["Middle half", middle, none],
      ["Median", figures(quartiles[1][node]), none],
    ];
    if (model.isMedian) return lines;
    return [["Mean", figures(mean[node]), held ? figures(testMean[node]) : none], ...lines];
  }

  const warnings = (node) =>
    model.warningsOf(node).map((text) => el("p", { class: "note warn", text }));

  // -- the split ------------------------------------------------------------------

  function splitParts(node) {
    const name = cut(columns[model.feature[node]].name, 60);
    const list = model.children(node).map((c, b) =>
      el(
        "li",
        {},
        el(
          "button",
          { type: "button", onclick: () => select(c) },
          el("span", { text: model.saysOf(node, b, 6, 60) }),
          el("span", {
            class: "muted",
            text: `${count(rows[c], "row")} · ${cut(model.answerWords(c), 24)}`,
          }),
        ),
      ),
    );
    return [
      el("h4", {}, "Asks ", el("b", { text: name })),
      el("ul", { class: "branches" }, ...list),
      el("p", { class: "small", text: splitFacts(node).join(" ") }),
      ...surrogateParts(node),
    ];
  }

  // For squared errors, in the unit of the target.
  function gainWords(node) {
    const before = model.impurity[node],
      gain = model.gain[node];
    if (story.unit !== "root") return `Gain ${figures(gain)}; impurity here ${figures(before)}.`;
    const [from, to] = [before, before - gain].map((x) => figures(model.asShown(x)));
    return `The split lowers the RMSE here from ${from} to ${to}.`;
  }

  function splitFacts(node) {
    const facts = [gainWords(node)];
    if (model.unproven.has(node)) facts.push("Not proven to be the best split of its column.");
    const gone = model.T.n_missing ? model.T.n_missing[node] : 0;
    const asks = gone || model.missingRoute[node] < 0 || columns[model.feature[node]].n_missing;
    if (model.kind[node] !== IS_MISSING && asks) {
      const seen = gone ? `; ${count(gone, "training row")} had no value` : "";
      facts.push(`A missing value ${model.missingWords(node)}${seen}.`);
    }
    return facts;
  }

  function surrogateParts(node) {
    const surrogates = model.surrogatesOf(node);
    if (!surrogates.length) return [];
    const words = (s) =>
      `${model.surrogateWords(s, 0, 60)} (agrees ${percent(s.agree)}; sent ${count(s.rows, "row")})`;
    return [
      el("p", {
        class: "small muted",
        text: "If the value is missing, these surrogate splits are tried in this order:",
      }),
      el("ol", { class: "small" }, ...surrogates.map((s) => el("li", { text: words(s) }))),
    ];
  }

  function endWords(node) {
    const text =
      model.size[node] > 1
        ? "At the chosen size the tree ends here."
        : `Why it ends here: ${model.T.reasons[model.stopReason[node]]}`;
    return el("p", { class: "small", text });
  }

  function collapseWords(node) {
    const step = model.collapsesAt[node];
    if (model.size[node] === 1 || step >= path.leaves.length) return null;
    const price =
      path.alpha[step] === null ? "at no cost" : `at α = ${general(real(path.alpha[step]), 3)}`;
    const size = count(path.leaves[step], "leaf", "leaves");
    return el("p", {
      class: "small muted",
      text: `Pruning collapses this node ${price}, in the tree with ${size}.`,
    });
  }

  page.listen("selected", show);
  show(page.choice.selected);
}
