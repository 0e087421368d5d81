// The table of the rules: sorted, searched, shown page by page; all of them in print.

import { copyText, download, el, swatch } from "./dom.js";
import { count, cut, figures, percent, thousands } from "./numbers.js";
import { rulesAsCsv } from "./csv.js";

const PAGE = 25;

export function startRules(page, picture, select) {
  const { model, byId } = page;
  const { isClass, test, testRows, testError, story, depth } = model;
  const shares = story.unit === "share";
  let printing = false; // browsers do not repeat buttons on every page
  const listing = { nodes: [], order: "rule", rising: true, shown: PAGE, text: "" };

  const heldOf = (i) => (testRows[i] > 0 ? (shares ? 1 - testError[i] : testError[i]) : -1);
  const heads = [
    { key: "rule", name: "Rule" },
    { key: "answer", name: "Answer", value: (i) => (isClass ? model.label[i] : model.numberOf(i)) },
    isClass ? { key: "likely", name: "Probability", value: model.probability, number: true } : null,
    isClass ? { key: "sure", name: "Confidence", value: model.confidence, number: true } : null,
    { key: "interval", name: "95% interval", value: (i) => model.intervalOf(i)[0], number: true },
    { key: "rows", name: "Rows", value: (i) => model.endedIn(i)[0], number: true },
    test ? { key: "test", name: "Test rows", value: (i) => testRows[i], number: true } : null,
    test
      ? {
          key: "held",
          name: isClass && shares ? "Right on test" : "Test error",
          number: true,
          value: heldOf,
        }
      : null,
    { key: "depth", name: "Depth", value: (i) => depth[i], number: true },
    { key: "copy", name: "" },
  ].filter(Boolean);

  function sortRules() {
    const by = heads.find((each) => each.key === listing.order);
    let nodes = model.answerNodes();
    const text = listing.text.toLowerCase();
    const says = (i) => `${model.ruleParts(i).join(" and ")} ${model.answerWords(i)}`.toLowerCase();
    if (text) nodes = nodes.filter((i) => says(i).includes(text));
    if (by.value) {
      const key = new Map(nodes.map((i) => [i, by.value(i)]));
      const sign = listing.rising ? 1 : -1;
      nodes.sort((a, b) => sign * (key.get(a) - key.get(b)) || a - b);
    } else if (!listing.rising) nodes.reverse();
    listing.nodes = nodes;
  }

  function drawHead() {
    byId("rules-head").replaceChildren(
      el(
        "tr",
        {},
        ...heads.map((head) => {
          const on = listing.order === head.key;
          const sorted = on ? (listing.rising ? "ascending" : "descending") : null;
          if (!head.name) return el("td", { class: "copy" });
          if (printing)
            return el("th", {
              scope: "col",
              class: head.number ? "number" : null,
              text: head.name,
            });
          return el(
            "th",
            { scope: "col", class: head.number ? "number" : null, "aria-sort": sorted },
            el("button", {
              type: "button",
              text: head.name,
              "data-key": head.key,
              onclick: () => sortBy(head.key, on),
            }),
          );
        }),
      ),
    );
  }

  function sortBy(key, again) {
    listing.rising = again ? !listing.rising : key === "rule" || key === "answer";
    listing.order = key;
    listing.shown = PAGE;
    show();
    byId("rules-head").querySelector(`[data-key="${key}"]`).focus();
  }

  function drawRules() {
    drawHead();
    let before = [];
    byId("rules-body").replaceChildren(
      ...listing.nodes.slice(0, listing.shown).map((node) => {
        const shared = model.sharedStart(model.ruleParts(node), before);
        before = model.ruleParts(node);
        return ruleRow(node, shared);
      }),
    );
    const total = listing.nodes.length,
      shown = Math.min(listing.shown, total);
    const all = count(model.answerNodes().length, "rule");
    byId("rules-count").textContent = listing.text
      ? `${thousands(total)} of ${all}${shown < total ? `, ${thousands(shown)} shown` : ""}`
      : `${thousands(shown)} of ${all}`;
    byId("rules-more").hidden = shown >= total;
  }

  // -- one line ---------------------------------------------------------------------

  // The conditions; those that the rule above has too are greyed.
  function ruleText(node, shared) {
    const parts = model.ruleParts(node);
    if (!parts.length) return [el("span", { text: "any row" })];
    return parts.flatMap((text, i) => [
      i ? el("em", { text: " and " }) : null,
      el("span", { class: i < shared ? "shared" : null, text }),
    ]);
  }

  function heldText(node) {
    if (!(testRows[node] > 0)) return "–";
    return shares ? percent(1 - testError[node]) : figures(model.asShown(testError[node]));
  }

  function rowsCell(node) {
    const [n] = model.endedIn(node);
    const part = Math.max(model.rows[0] > 0 ? n / model.rows[0] : 0, 0);
    const bar = el(
      "span",
      { class: "track", "aria-hidden": "true" },
      el("i", { style: { width: `${100 * part}%` } }),
    );
    return [el("span", { text: thousands(n) }), bar];
  }

  // "to" keeps both ends of the interval together on a narrow screen.
  function ruleRow(node, shared) {
    const line = el("tr", {});
    const go = () => {
      select(node);
      byId("rules-body")
        .querySelectorAll("tr.on")
        .forEach((each) => each.classList.remove("on"));
      line.classList.add("on");
      byId("tree").scrollIntoView({
        behavior: page.still.matches ? "auto" : "smooth",
        block: "start",
      });
    };
    const warn = model.warningsOf(node).join(" ");
    const cell = (name, text, more) =>
      el("td", { class: "number", "data-name": name, ...more }, el("span", { text }));
    const copy = el("button", {
      type: "button",
      class: "quiet",
      text: "Copy",
      "aria-label": `Copy the rule of node ${node}`,
      onclick: () => copyText(model.ruleSentence(node), copy),
    });
    line.append(
      ...[
        el(
          "td",
          { class: "rule" },
          el(
            "button",
            { type: "button", onclick: go, title: "Show this rule in the tree" },
            ...ruleText(node, shared),
          ),
        ),
        el(
          "td",
          { class: "said", "data-name": "Answer" },
          el("span", {}, swatch(picture.inkOf(node)), cut(model.answerWords(node), 60)),
        ),
        isClass ? cell("Probability", percent(model.probability(node))) : null,
        isClass ? cell("Confidence", percent(model.confidence(node))) : null,
        cell("95% interval", model.intervalWords(node) || "–"),
        el("td", { class: "number rows", "data-name": "Rows" }, ...rowsCell(node)),
        test ? cell("Test rows", thousands(testRows[node])) : null,
        test
          ? el(
              "td",
              { class: "number", "data-name": isClass && shares ? "Right on test" : "Test error" },
              warn ? el("abbr", { class: "flag", title: warn, text: "⚠" }) : null,
              el("span", { text: heldText(node) }),
            )
          : null,
        cell("Depth", depth[node]),
        el("td", { class: "copy" }, copy),
      ].filter(Boolean),
    );
    return line;
  }

  // -- start ------------------------------------------------------------------------

  function show() {
    sortRules();
    drawRules();
  }

  function startButtons() {
    byId("rules-more").addEventListener("click", () => {
      const from = listing.shown;
      listing.shown += from >= 200 ? 200 : 50;
      drawRules();
      byId("rules-body").rows[from]?.querySelector("button").focus();
    });
    byId("rules-csv").addEventListener("click", () => {
      // A byte order mark tells spreadsheets that the file is UTF-8.
      download(
        "rules.csv",
        new Blob(["\ufeff", rulesAsCsv(model)], { type: "text/csv;charset=utf-8" }),
      );
    });
    let waiting = 0;
    byId("rules-search").addEventListener("input", (event) => {
      clearTimeout(waiting);
      waiting = setTimeout(
        () => {
          listing.text = event.target.value;
          listing.shown = PAGE;
          show();
        },
        model.N > 4000 ? 300 : 0,
      );
    });
  }

  show();
  startButtons();
  page.listen("sized", () => {
    listing.shown = PAGE;
    show();
  });

  let kept = PAGE;
  return {
    // In print every rule is shown, whatever was searched for.
    showAll() {
      kept = { ...listing };
      printing = true;
      Object.assign(listing, { shown: Infinity, text: "" });
      show();
    },
    showAgain() {
      Object.assign(listing, kept);
      printing = false;
      show();
    },
  };
}
