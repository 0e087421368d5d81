// How well the tree of the chosen size answers test rows, and where to be careful.
//
// All figures come from the class weights of test rows in each node. If rows are divided
// over branches, these do not say which answer a row gets; the figures by class are then
// known for the whole tree only, from Python.

import { real } from "./arrays.js";
import { count, cut, figures, percent } from "./numbers.js";
import { wilson, Z } from "./interval.js";

const FEW_ROWS = 5; // a leaf with fewer training rows is called tiny
const ROWS_PER_CATEGORY = 10,
  MANY_CATEGORIES = 20;
const BINS = 10;

export function makeQuality(model) {
  const { story, test, isClass, classes, testValue, testRows, rows, columns } = model;

  const asShown = (x) =>
    (story.unit === "root" ? Math.sqrt(Math.max(x, 0)) : x) * 2 ** story.exponent;
  const errorWords = (x) => (story.unit === "share" ? percent(x) : figures(x));

  // -- by class -------------------------------------------------------------------

  // Class weights of the test rows that end in a node.
  function endedTest(node) {
    const own = model.classWeights(node, testValue);
    if (model.isEnd(node)) return own;
    for (const c of model.children(node)) {
      model.classWeights(c, testValue).forEach((w, k) => (own[k] -= w));
    }
    return own.map((w) => Math.max(w, 0));
  }

  // Weight of each true class (line) that is answered as each class; null: not known.
  function confusionNow() {
    if (!isClass || !test) return null;
    if (model.T.divide_by || !testValue)
      return model.stepNow() === 0 ? (test.confusion ?? null) : null;
    const out = classes.map(() => new Array(classes.length).fill(0));
    for (const node of model.answerNodes()) {
      endedTest(node).forEach((w, k) => (out[k][model.label[node]] += w));
    }
    return out;
  }

  // Recall, precision and weight of every class; NaN where Python has NaN.
  function classFigures(confusion) {
    const sum = (list) => list.reduce((a, b) => a + b, 0);
    return classes.map((_, k) => {
      const right = confusion[k][k];
      const own = sum(confusion[k]),
        answered = sum(confusion.map((line) => line[k]));
      return { recall: right / own, precision: right / answered, weight: own, answered };
    });
  }

  // -- thresholds and probabilities -----------------------------------------------

  const canScore = () => isClass && Boolean(test && testValue) && !model.T.divide_by;

  // Ends with the share of class k, and the test weight of that class and of the others,
  // the largest share first.
  function scoresOf(k) {
    const found = [];
    for (const node of model.answerNodes()) {
      const own = endedTest(node);
      const all = own.reduce((a, b) => a + b, 0);
      if (all > 0)
        found.push({ node, share: model.probabilities(node)[k], yes: own[k], no: all - own[k] });
    }
    return found.sort((a, b) => b.share - a.share || a.node - b.node);
  }

  // The ROC curve: one point for each share, from "nobody" to "everybody".
  function rocOf(k) {
    const scores = scoresOf(k);
    const all = { yes: 0, no: 0 };
    for (const each of scores) {
      all.yes += each.yes;
      all.no += each.no;
    }
    const points = [{ share: Infinity, found: 0, alarms: 0, yes: 0, no: 0 }];
    let yes = 0,
      no = 0;
    scores.forEach((each, i) => {
      yes += each.yes;
      no += each.no;
      if (i + 1 < scores.length && scores[i + 1].share === each.share) return;
      points.push({ share: each.share, found: yes / all.yes, alarms: no / all.no, yes, no });
    });
    let area = 0;
    for (let i = 1; i < points.length; i++) {
      const wide = points[i].alarms - points[i - 1].alarms;
      area += (wide * (points[i].found + points[i - 1].found)) / 2;
    }
    return { points, area, ...all };
  }

  // What happens if class k is answered from a share of `limit` on.
  function atThreshold(roc, limit) {
    const point = roc.points.filter((each) => each.share >= limit).at(-1);
    const { yes, no } = point;
    return {
      ...point,
      precision: yes / (yes + no),
      right: (yes + roc.no - no) / (roc.yes + roc.no),
    };
  }

  // Promised shares against shares found on test rows, in up to ten bins of promises.
  function calibrationOf(k) {
    const bins = Array.from({ length: BINS }, () => ({ said: 0, yes: 0, n: 0 }));
    for (const { share, yes, no } of scoresOf(k)) {
      const bin = bins[Math.min(Math.floor(share * BINS), BINS - 1)];
      bin.said += share * (yes + no);
      bin.yes += yes;
      bin.n += yes + no;
    }
    return bins
      .filter(({ n }) => n > 0)
      .map(({ said, yes, n }) => {
        const found = yes / n;
        const [low, high] = wilson(found, n);
        return { said: said / n, found, low, high, n };
      });
  }

  // The class that people look for: the rarest one of two.
  function wantedClass() {
    const shares = model.classShares(0);
    return shares.reduce((best, share, k) => (share < shares[best] ? k : best), shares.length - 1);
  }

  // -- numbers --------------------------------------------------------------------

  // Leaves with the mean of test rows minus the answer, and its 95% interval.
  function residuals() {
    if (isClass || !test || model.isMedian || model.T.divide_by) return [];
    const out = [];
    for (const node of model.answerNodes()) {
      const n = testRows[node];
      if (!n || !model.isEnd(node)) continue;
      const off = model.testMean[node] - model.numberOf(node);
      const error = story.unit === "root" ? model.testError[node] * 4 ** story.exponent : NaN;
      const spread = Math.sqrt(Math.max(error - off ** 2, 0));
      const half = n > 1 ? (Z * spread) / Math.sqrt(n - 1) : NaN;
      out.push({ node, n, off, low: off - half, high: off + half, rmse: Math.sqrt(error) });
    }
    return out.sort((a, b) => b.n - a.n || a.node - b.node);
  }

  // -- warnings -------------------------------------------------------------------

  // Whether test rows differ from training rows in a node by more than chance (99%).
  function differs(node) {
    if (!test || testRows[node] < 2) return false;
    const n = rows[node],
      m = testRows[node];
    if (isClass) {
      if (!testValue) return false;
      const p = model.confidence(node),
        q = model.classShares(node, testValue)[model.label[node]];
      const pooled = (p * n + q * m) / (n + m);
      const error = Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
      return error > 0 && Math.abs(p - q) > 2.58 * error;
    }
    if (model.isMedian || m < 10) return false;
    const error = Math.sqrt(model.variance[node] * 4 ** story.exponent * (1 / n + 1 / m));
    return error > 0 && Math.abs(model.mean[node] - model.testMean[node]) > 2.58 * error;
  }

  function differWords(node) {
    if (!isClass) {
      const means = `${figures(model.mean[node])} in training, ${figures(model.testMean[node])} on test rows`;
      return `Training and test part here: the mean is ${means}.`;
    }
    const name = cut(classes[model.label[node]], 30);
    const q = model.classShares(node, testValue)[model.label[node]];
    const seen = `${percent(q)} of ${count(testRows[node], "test row")}`;
    return `Training and test part here: ${percent(model.confidence(node))} ${name} in training, ${seen}.`;
  }

  const isTiny = (node) => model.isEnd(node) && rows[node] < FEW_ROWS && model.N > 1;

  // Sentences about one node.
  function warningsOf(node) {
    const out = [];
    if (differs(node)) out.push(differWords(node));
    if (isTiny(node)) {
      out.push(`Only ${count(rows[node], "training row")}: its answer rests on little.`);
    }
    return out;
  }

  // Columns with so many categories that splits on them may memorise rows.
  function memorising() {
    return columns.filter((column) => {
      const n = column.kind === "categorical" && !column.cuts ? column.labels.length : 0;
      return column.used && n > MANY_CATEGORIES && rows[0] / n < ROWS_PER_CATEGORY;
    });
  }

  // Warnings about the tree of the chosen size: the sentence, and nodes to look at.
  function warningsNow() {
    const ends = model.answerNodes(),
      out = [];
    const parted = ends.filter(differs);
    if (parted.length) {
      out.push({
        text: `In ${count(parted.length, "leaf", "leaves")} the test rows differ from the training rows by more than chance explains.`,
        nodes: parted.sort((a, b) => testRows[b] - testRows[a] || a - b),
        words: differWords,
      });
    }
    const tiny = ends.filter(isTiny);
    if (tiny.length) {
      const rest = tiny.length === 1 ? "has" : "have";
      out.push({
        text: `${count(tiny.length, "leaf", "leaves")} ${rest} fewer than ${FEW_ROWS} training rows: their answers rest on little.`,
        nodes: tiny.sort((a, b) => rows[a] - rows[b] || a - b),
        words: (node) => warningsOf(node).at(-1),
      });
    }
    for (const column of memorising()) {
      const each = figures(rows[0] / column.labels.length);
      out.push({
        text: `${cut(column.name, 60)} has ${count(column.labels.length, "category", "categories")} for ${count(rows[0], "row")} (${each} rows each): its splits may memorise rows.`,
        nodes: [],
      });
    }
    return out;
  }

  // -- the chosen size ------------------------------------------------------------

  // The error of the tree of the chosen size: on test rows, cross-validated, on
  // validation rows and on training rows; undefined where it was not measured.
  function errorsNow() {
    const { path, data } = model;
    const step = model.stepNow(),
      leaves = path.leaves[step];
    const place = data.curve ? data.curve.leaves.indexOf(leaves) : -1;
    const tried = (name) =>
      place >= 0 && data.curve[name] ? real(data.curve[name][place]) : undefined;
    return {
      test: path.test.length ? real(path.test[step]) : undefined,
      cv: tried("cv_error"),
      cvStd: tried("cv_std"),
      validation: tried("validation_error"),
      train: real(path.train[step]),
    };
  }

  // Each column's share of the gain of all splits that the chosen size keeps.
  function importanceNow() {
    const out = new Float64Array(columns.length);
    let total = 0;
    for (let i = 0; i < model.N; i += model.isEnd(i) ? model.size[i] : 1) {
      if (model.isEnd(i)) continue;
      const worth = model.gain[i] * model.weight[i];
      out[model.feature[i]] += worth;
      total += worth;
    }
    return out.map((x) => (total > 0 ? x / total : 0));
  }

  return {
    asShown,
    errorWords,
    endedTest,
    confusionNow,
    classFigures,
    canScore,
    scoresOf,
    rocOf,
    atThreshold,
    calibrationOf,
    wantedClass,
    residuals,
    differs,
    isTiny,
    warningsOf,
    memorising,
    warningsNow,
    errorsNow,
    importanceNow,
  };
}
