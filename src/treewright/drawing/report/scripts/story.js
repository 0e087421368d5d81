// The headline: it follows the size of the tree that the reader chose.
//
// Python wrote the text for the whole tree. Pieces and figures that depend on the size
// say so by their role (`is`); for another size they are written again here.

import { count, cut, figures, percent } from "./numbers.js";
import { el, swatch } from "./dom.js";
import { wilson } from "./interval.js";
import { real } from "./arrays.js";

export function makeStory(model) {
  const { story, test, path, classes, columns } = model;
  const shares = story.unit === "share",
    roots = story.unit === "root";
  const root = () => real(path.train[path.train.length - 1]);
  const figure = (error) => figures(model.asShown(error));

  const good = (error) => {
    if (shares) return percent(1 - error);
    return roots ? `± ${figure(error)}` : figure(error);
  };
  const explained = (error, base) => percent(Math.max(base > 0 ? 1 - error / base : 0, 0));
  const words = (error, base) => {
    if (shares) return "of rows answered right";
    if (story.unit === "cost") return "mean cost of a row";
    return roots ? `RMSE; ${explained(error, base)} explained` : story.axis;
  };

  // The least biased error that is known, as in Python, and the rows it is from.
  function bestKnown() {
    const errors = model.errorsNow();
    if (errors.test !== undefined) return [errors.test, "test"];
    if (errors.cv !== undefined) return [errors.cv, "In cross-validation"];
    if (errors.validation !== undefined) return [errors.validation, "On the validation rows"];
    return [errors.train, "On the rows it learned from"];
  }

  // -- pieces of the lead -----------------------------------------------------------

  function pieceNow(role) {
    const [error, where] = bestKnown();
    const makers = {
      used: () => String(usedNow()),
      leaves: () => count(model.leavesBelow(0), "group"),
      where: () => (where === "test" ? null : where),
      good: () => (shares ? `${percent(1 - error)} right` : figure(error)),
      explained: () => explained(error, test ? real(test.spread) : root()),
      matters: () => mattersNow(),
      found: () => foundWords(model.confusionNow()),
    };
    return makers[role]();
  }

  function usedNow() {
    const used = new Set();
    for (let i = 0; i < model.N; i += model.isEnd(i) ? model.size[i] : 1) {
      if (!model.isEnd(i)) used.add(model.feature[i]);
    }
    return used.size;
  }

  function mattersNow() {
    const share = model.importanceNow();
    const order = columns.map((_, j) => j).filter((j) => share[j] > 0);
    const names = order
      .sort((a, b) => share[b] - share[a] || a - b)
      .slice(0, 3)
      .map((j) => cut(columns[j].name, 40));
    if (!names.length) return "";
    const then = names.length > 1 ? `, then ${names.slice(1).join(" and ")}` : "";
    return ` What matters most is ${names[0]}${then}.`;
  }

  // Of 100 rows of a class, how many are found; the same text as in Python.
  function foundWords(confusion) {
    if (!confusion) return "";
    const found = model
      .classFigures(confusion)
      .map(({ recall }, k) => [recall, k])
      .filter(([recall]) => recall === recall);
    if (!found.length) return "";
    const hundred = ([recall, k]) => `${cut(classes[k], 30)} it finds ${Math.round(100 * recall)}`;
    if (classes.length === 2) {
      const wanted = model.wantedClass();
      const own = found.find(([, k]) => k === wanted);
      return own ? ` Of 100 rows of class ${hundred(own)}.` : "";
    }
    const low = found.reduce((a, b) => (b[0] < a[0] ? b : a)),
      high = found.reduce((a, b) => (b[0] > a[0] ? b : a));
    return ` Of 100 rows of class ${hundred(high)}, of class ${hundred(low)}.`;
  }

  // Pieces [text, strong] of the lead, for the chosen size.
  function leadNow() {
    return story.lead.map(({ text, strong, is }) => {
      if (!is || model.stepNow() === 0) return [text, strong];
      return [pieceNow(is) ?? text, strong];
    });
  }

  // -- figures ----------------------------------------------------------------------

  const figuresBy = {
    test: (error) => {
      const value = good(error),
        n = count(test.n_rows, "row");
      let detail = `${words(error, real(test.root))}, ${n}`;
      if (roots) detail = `RMSE; ${explained(error, real(test.spread))} explained, ${n}`;
      if (shares) {
        const [low, high] = wilson(error, real(test.effective));
        detail += `; 95% interval ${percent(1 - high)} to ${percent(1 - low)}`;
      }
      return { value, detail };
    },
    cv: (error, { cvStd }) => {
      const std = shares && cvStd === cvStd ? `, standard error ${percent(cvStd)}` : "";
      return {
        value: good(error),
        detail: `${words(error, root())}, ${count(story.folds, "fold")}${std}`,
      };
    },
    validation: (error) => {
      const base = real(model.data.curve.validation_error.at(-1));
      return { value: good(error), detail: words(error, base) };
    },
    train: (error) => ({ value: good(error), detail: `${words(error, root())}; optimistic` }),
  };

  function sizeFigure() {
    let deepest = 0;
    for (const node of model.answerNodes()) deepest = Math.max(deepest, model.depth[node]);
    return {
      value: count(model.leavesBelow(0), "leaf", "leaves"),
      detail: `at most ${count(deepest, "question")} deep`,
    };
  }

  // Figures { name, value, detail } for the chosen size; those not measured are left out.
  function figuresNow() {
    if (model.stepNow() === 0) return story.figures;
    const errors = model.errorsNow();
    return story.figures.flatMap((each) => {
      if (each.is === "none") return [each];
      if (each.is === "size") return [{ ...each, ...sizeFigure() }];
      if (errors[each.is] === undefined) return [];
      return [{ ...each, ...figuresBy[each.is](errors[each.is], errors) }];
    });
  }

  return { leadNow, figuresNow, foundWords };
}

export function startStory(page) {
  const { model, byId } = page;
  const { leadNow, figuresNow } = makeStory(model);

  function show() {
    const pieces = leadNow().map(([text, strong]) =>
      strong ? el("b", { text }) : document.createTextNode(text),
    );
    byId("lead").replaceChildren(...pieces);
    byId("key-figures").replaceChildren(
      ...figuresNow().map(({ name, value, detail }) =>
        el(
          "div",
          { class: "figure" },
          el("dt", { text: name }),
          el("dd", {}, el("b", { text: value }), el("span", { text: detail })),
        ),
      ),
    );
  }

  page.listen("sized", show);
}

export function startLegend(page) {
  const { model, byId } = page;
  const { isClass, classes, target } = model;
  const box = byId("legend");
  if (!isClass) {
    box.append(
      el("li", {
        class: "muted",
        text: "box: middle half of the rows; line: median; dot: the answer",
      }),
    );
    return;
  }
  const entry = (ink, text) =>
    el("li", {}, swatch(ink), el("span", { text: cut(text, 40), title: cut(text, 1000) }));
  const own = classes.map((_, k) => k).filter((k) => target.inks[k] !== "other");
  box.append(...own.map((k) => entry(target.inks[k], classes[k])));
  const others = classes.length - own.length;
  if (others) box.append(entry("other", `${others} other classes`));
  const beside = model.ownAnswer ? "probability" : "share of the node's rows";
  const key = `bar: shares of the node's rows; beside a class: its ${beside}; below: share of all rows`;
  box.append(el("li", { class: "muted", text: key }));
}
