// How well the tree of the chosen size answers test rows: by class, at other thresholds,
// as probabilities, and for numbers leaf by leaf. Below, where to be careful.

import { atX, atY, drawSquare, squareAxes } from "./chart.js";
import { count, cut, figures, percent, thousands } from "./numbers.js";
import { el, swatch } from "./dom.js";

const MOST_CELLS = 12,
  MOST_LEAVES = 24,
  MOST_NODES = 6;
const amount = (n) => (Number.isInteger(n) ? thousands(n) : figures(n));
const share = (x) => (x === x ? percent(x) : "–");

export function startJudgement(page, select) {
  const { model, byId } = page;
  const { isClass, classes, target, test } = model;
  let roc = null,
    limit = 0.5,
    chosen = 0;

  // -- by class ---------------------------------------------------------------------

  function showClasses() {
    const confusion = model.confusionNow();
    byId("by-class").hidden = !confusion;
    byId("not-by-class").hidden = Boolean(confusion) || !isClass || !test;
    if (!confusion) return;
    const lines = model.classFigures(confusion).map((each, k) => classLine(each, k));
    byId("class-body").replaceChildren(...lines);
    const few = classes.length <= MOST_CELLS;
    byId("mistakes").hidden = !few;
    if (few) byId("confusion").replaceChildren(confusionTable(confusion));
    byId("probabilities").textContent = model.stepNow() === 0 ? probabilityWords() : "";
  }

  // How good the probabilities of the whole tree are, each figure with its 95% interval.
  function probabilityWords() {
    const { auc, log_loss, brier } = test.figures;
    const words = ([value, low, high]) => `${figures(value)} (${figures(low)} to ${figures(high)})`;
    const area = auc[0] === null ? "" : `AUC ${words(auc)}, `;
    return `Probabilities of the whole tree: ${area}log-loss ${words(log_loss)}, Brier score ${words(brier)}.`;
  }

  function classLine({ weight, recall, precision }, k) {
    const bar = (x, text) => [
      el(
        "span",
        { class: "track", "aria-hidden": "true" },
        el("i", { style: { width: `${100 * (x || 0)}%`, background: `var(--${target.inks[k]})` } }),
      ),
      el("b", { text }),
    ];
    return el(
      "tr",
      {},
      el(
        "th",
        { scope: "row" },
        swatch(target.inks[k]),
        el("span", { text: cut(classes[k], 40), title: classes[k] }),
      ),
      el("td", { class: "number", "data-name": "Test rows", text: amount(weight) }),
      el("td", { "data-name": "Found (recall)" }, ...bar(recall, share(recall))),
      el(
        "td",
        { "data-name": "Right when answered (precision)" },
        ...bar(precision, share(precision)),
      ),
    );
  }

  function confusionTable(confusion) {
    const top = Math.max(...confusion.flat(), 1);
    const sums = confusion.map((line) => line.reduce((a, b) => a + b, 0));
    const cell = (n, t, a) =>
      el(
        "td",
        {
          class: t === a ? "right" : n ? "wrong" : "none",
          style: { "--part": String(n / top) },
          title: `${amount(n)} of ${amount(sums[t])} rows whose class is ${cut(classes[t], 40)}`,
        },
        el("span", { text: amount(n) }),
      );
    return el(
      "table",
      { class: "confusion" },
      el("caption", { class: "sr", text: "Test rows by true class and answer" }),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td", { text: "true ↓ answer →", class: "corner" }),
          ...classes.map((name) => el("th", { scope: "col", text: cut(name, 16), title: name })),
        ),
      ),
      el(
        "tbody",
        {},
        ...confusion.map((line, t) =>
          el(
            "tr",
            {},
            el("th", { scope: "row", text: cut(classes[t], 24), title: classes[t] }),
            ...line.map((n, a) => cell(n, t, a)),
          ),
        ),
      ),
    );
  }

  // -- thresholds -------------------------------------------------------------------

  function showCurves() {
    byId("curves").hidden = !model.canScore();
    if (!model.canScore()) return;
    roc = model.rocOf(chosen);
    drawCalibration();
    drawRoc();
  }

  function drawRoc() {
    const known = roc.yes > 0 && roc.no > 0;
    byId("roc-box").hidden = !known;
    if (!known) return;
    const line = roc.points.map(
      ({ alarms, found }) => `${atX(alarms).toFixed(1)},${atY(found).toFixed(1)}`,
    );
    const now = model.atThreshold(roc, limit);
    drawSquare(byId("roc"), [
      ...squareAxes("false alarms", "found"),
      el("polyline", { class: "curve test", points: line.join(" ") }),
      el("circle", { class: "thumb", cx: atX(now.alarms), cy: atY(now.found), r: 7 }),
    ]);
    byId("roc").setAttribute("aria-label", `ROC curve, area ${figures(roc.area)}`);
    byId("roc-area").textContent = `area under the curve ${figures(roc.area)}`;
    sayThreshold(now);
  }

  function sayThreshold(now) {
    const name = cut(classes[chosen], 40);
    const said = amount(now.yes + now.no);
    byId("limit-words").replaceChildren(
      el("b", { text: `From ${percent(limit)} on, answer ${name}:` }),
      ` finds ${Math.round(100 * now.found)} of 100 ${name}; of ${said} rows so answered ${share(now.precision)} are right. `,
      el("span", { class: "muted", text: `All answers together: ${percent(now.right)} right.` }),
    );
    byId("limit").setAttribute("aria-valuetext", `${percent(limit)}, finds ${percent(now.found)}`);
  }

  function drawCalibration() {
    const bins = model.calibrationOf(chosen);
    const most = Math.max(...bins.map(({ n }) => n), 1);
    const marks = bins.flatMap(({ said, found, low, high, n }) => [
      el("line", { class: "spread", x1: atX(said), x2: atX(said), y1: atY(low), y2: atY(high) }),
      el(
        "circle",
        { class: "point test", cx: atX(said), cy: atY(found), r: 3 + 5 * Math.sqrt(n / most) },
        svgTitle(`promised ${percent(said)}, found ${percent(found)} of ${amount(n)} test rows`),
      ),
    ]);
    drawSquare(byId("calibration"), [
      ...squareAxes("share promised by the tree", "share found on test rows"),
      ...marks,
    ]);
  }

  function svgTitle(text) {
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = text;
    return title;
  }

  function startCurves() {
    if (!isClass) return;
    chosen = model.wantedClass();
    const pick = byId("curve-class");
    pick.append(
      ...classes.map((name, k) => el("option", { value: String(k), text: cut(name, 60) })),
    );
    pick.value = String(chosen);
    pick.addEventListener("input", () => {
      chosen = Number(pick.value);
      showCurves();
    });
    byId("limit").addEventListener("input", (event) => {
      limit = Number(event.target.value) / 100;
      drawRoc();
    });
  }

  // -- numbers ----------------------------------------------------------------------

  function showResiduals() {
    const all = model.residuals(),
      shown = all.slice(0, MOST_LEAVES);
    byId("residuals").hidden = !shown.length;
    if (!shown.length) return;
    const known = shown.flatMap(({ off, low, high }) => [off, low, high]).filter(Number.isFinite);
    const far = Math.max(...known.map(Math.abs), 1e-300);
    const at = (x) => `${50 + 50 * Math.min(Math.max(x / far, -1), 1)}%`;
    byId("residual-body").replaceChildren(...shown.map((each) => residualLine(each, at, far)));
    const more = all.length - shown.length;
    byId("residual-note").textContent =
      more > 0 ? `${count(more, "smaller leaf", "smaller leaves")} not shown.` : "";
  }

  function residualLine({ node, n, off, low, high, rmse }, at, far) {
    const wide = Number.isFinite(high) ? ((high - low) / (2 * far)) * 100 : 0;
    const strip = el(
      "div",
      { class: "residual", title: `test mean minus answer: ${figures(off)}` },
      el("i", {
        class: "box",
        style: { left: at(low === low ? low : off), width: `max(${wide}%, 2px)` },
      }),
      el("i", { class: "dot", style: { left: at(off) } }),
    );
    const sign = off > 0 ? "+" : off < 0 ? "−" : "";
    return el(
      "tr",
      {},
      el(
        "th",
        { scope: "row" },
        el("button", {
          type: "button",
          class: "link",
          text: `node ${node}`,
          onclick: () => go(node),
        }),
      ),
      el("td", { class: "number", "data-name": "Answer", text: model.answerWords(node) }),
      el("td", { class: "number", "data-name": "Test rows", text: thousands(n) }),
      el(
        "td",
        { class: "wide", "data-name": "Test mean minus answer" },
        strip,
        el("b", { text: `${sign}${figures(Math.abs(off))}` }),
      ),
      el("td", {
        class: "number",
        "data-name": "RMSE",
        text: Number.isFinite(rmse) ? figures(rmse) : "–",
      }),
    );
  }

  // -- warnings ---------------------------------------------------------------------

  function go(node) {
    select(node);
    byId("tree").scrollIntoView({
      behavior: page.still.matches ? "auto" : "smooth",
      block: "start",
    });
  }

  function showWarnings() {
    const found = model.warningsNow();
    byId("warnings").hidden = !found.length;
    byId("warning-list").replaceChildren(
      ...found.map(({ text, nodes, words }) =>
        el("li", {}, el("p", { text }), nodes.length ? nodeLinks(nodes, words) : null),
      ),
    );
  }

  function nodeLinks(nodes, words) {
    const more = nodes.length - MOST_NODES;
    return el(
      "ul",
      {},
      ...nodes.slice(0, MOST_NODES).map((node) =>
        el(
          "li",
          {},
          el("button", {
            type: "button",
            class: "link",
            text: `node ${node}`,
            onclick: () => go(node),
          }),
          ` ${words(node)}`,
        ),
      ),
      more > 0 ? el("li", { class: "muted", text: `and ${thousands(more)} more` }) : null,
    );
  }

  function show() {
    showClasses();
    showCurves();
    showResiduals();
    showWarnings();
    const shown = ["by-class", "not-by-class", "residuals"].some((id) => !byId(id).hidden);
    byId("quality").hidden = byId("to-quality").hidden = !shown;
  }

  startCurves();
  show();
  page.listen("sized", show);
}
