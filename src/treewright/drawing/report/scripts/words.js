// Texts of values and splits: the same as in Python, as tests check.

import { number, general, figures, cut, listed } from "./numbers.js";
import { MOMENTS, momentWords, durationWords } from "./moments.js";
import { real } from "./arrays.js";
import { THRESHOLD, IS_MISSING, STOP_HERE, ALL_BRANCHES } from "./constants.js";

export function makeWords(model) {
  const {
    columns,
    T,
    isClass,
    classes,
    kind,
    feature,
    threshold,
    missingRoute,
    label,
    numberOf,
    categoryStart,
    arrives,
    parent,
    branch,
  } = model;

  for (const column of columns) {
    column.atWords = new Map();
    column.rank = column.frequent && new Map(column.frequent.map((c, i) => [column.labels[c], i]));
    if (column.at) column.at[0].forEach((x, i) => column.atWords.set(real(x), column.at[1][i]));
  }

  // A number of a column, in the column's own terms.
  function numberWords(column, x) {
    if (x !== x) return "missing";
    if (column.atWords.has(x)) return column.atWords.get(x);
    if (!Number.isFinite(x)) return number(x);
    if (MOMENTS.has(column.stored)) return momentWords(x, column.timezone);
    if (column.stored === "duration") return durationWords(x);
    if (column.stored === "bool" && (x === 0 || x === 1)) return x ? "True" : "False";
    return number(x);
  }

  // A value of a row: long decimals with six figures.
  function say(column, x) {
    if (column.kind !== "numeric") return cut(column.labels[x], 60);
    const said = numberWords(column, x);
    const plain = column.stored === "float" || column.stored === "text";
    return said.length > 10 && plain ? general(x, 6) : said;
  }

  // -- splits -----------------------------------------------------------------------

  const rankOf = (at, n) => Math.min(Math.max(Math.floor(at), 0), n - 1);

  function thresholdWords(column, at) {
    if (column.cuts && column.cuts.length) {
      return column.cut_words[rankOf(at, column.cuts.length)];
    }
    if (column.kind === "ordinal") return column.labels[rankOf(at, column.labels.length)];
    return numberWords(column, at + 0);
  }

  function isTwoValued(column, at) {
    if (column.stored !== "bool") return false;
    if (column.cuts) return column.cuts.length === 1;
    return column.kind === "numeric" && at >= 0 && at < 1;
  }

  function branchCategories(node, b) {
    const labels = columns[feature[node]].labels;
    const out = [];
    for (let e = categoryStart[node]; e < categoryStart[node + 1]; e++) {
      if (T.category_branch[e] === b) out.push(labels[T.categories[e]]);
    }
    return out;
  }

  function saysOf(node, b, most, longest) {
    const column = columns[feature[node]];
    if (kind[node] === IS_MISSING) return b ? "is known" : "is missing";
    if (kind[node] === THRESHOLD) {
      if (isTwoValued(column, threshold[node])) return `= ${b ? "True" : "False"}`;
      const least = longest == null ? null : Math.max(longest, 32);
      return `${b ? ">" : "<="} ${cut(thresholdWords(column, threshold[node]), least)}`;
    }
    const labels = branchCategories(node, b);
    if (!labels.length) return "is missing or unseen";
    if (labels.length === 1) {
      const one = cut(labels[0], longest);
      if (!column.cuts) return `= ${one}`;
      if ("<>".includes(one[0])) return one;
      return `${one.includes(" to ") ? "in" : "="} ${one}`;
    }
    return `in ${listed(labels, most, longest, column.rank)}`;
  }

  function splitWords(node, b, { missing = false, most = null, longest = null } = {}) {
    let said = saysOf(node, b, most, longest);
    if (missing && b === missingRoute[node] && !said.startsWith("is missing")) {
      said += " or missing";
    }
    return `${cut(columns[feature[node]].name, longest)} ${said}`;
  }

  // A threshold for the picture; excess digits are cut off, not rounded.
  function fewerDigits(column, at) {
    const said = thresholdWords(column, at);
    if (said !== number(at) || said.length <= 10) return cut(said, 40);
    const [digits, exponent] = said.split("e");
    const kept = Math.max(8, digits.split(".")[0].length + 2);
    return `${digits.slice(0, kept)}…${exponent ? `e${exponent}` : ""}`;
  }

  // The label of a branch in the picture; the node above shows the column. Of categories,
  // it names as many as fit.
  function branchLabel(node, b, fits = () => true) {
    const column = columns[feature[node]];
    const also = arrives.has(node) && b === missingRoute[node] ? " or missing" : "";
    if (kind[node] === IS_MISSING) return b ? "known" : "missing";
    if (kind[node] === THRESHOLD) {
      if (isTwoValued(column, threshold[node])) return (b ? "True" : "False") + also;
      return `${b ? ">" : "≤"} ${fewerDigits(column, threshold[node])}${also}`;
    }
    const labels = branchCategories(node, b);
    if (!labels.length) return "missing or unseen";
    for (const most of labels.length > 4 ? [2, 1] : [4, 2, 1]) {
      const text = listed(labels, most, 24, column.rank).slice(1, -1) + also;
      if (fits(text)) return text;
    }
    return listed(labels, 1, 12, column.rank).slice(1, -1) + also;
  }

  function missingWords(node) {
    const route = missingRoute[node];
    if (route === STOP_HERE) return "stops here";
    if (route === ALL_BRANCHES) return "goes down every branch, by weight";
    return `goes with ${splitWords(node, route, { most: 3, longest: 60 })}`;
  }

  // The answer of a node as short text.
  const finer = new Map(T.finer || []);
  const answerNumber = (x) => finer.get(x) ?? figures(x);
  const answerWords = (node) => (isClass ? classes[label[node]] : answerNumber(numberOf(node)));

  // The condition that leads to a node, without "≤"; for search and screen readers.
  const conditionTo = (node) =>
    node === 0
      ? "all rows"
      : splitWords(parent[node], branch[node], {
          missing: arrives.has(parent[node]),
          most: 12,
          longest: 200,
        });

  return {
    numberWords,
    say,
    thresholdWords,
    isTwoValued,
    branchCategories,
    saysOf,
    splitWords,
    fewerDigits,
    branchLabel,
    missingWords,
    rankOf,
    finer,
    answerNumber,
    answerWords,
    conditionTo,
  };
}
