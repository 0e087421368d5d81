// The conditions on the path to a node, merged into one per column.
//
// `codes` flags the allowed categories, null for numbers and ranks; `missing` is whether
// a missing value is allowed; `parts` lists values that arrive with a share only, or by
// surrogate splits.

import { percent, cut, listed } from "./numbers.js";
import { THRESHOLD, IS_MISSING, STOP_HERE, ALL_BRANCHES } from "./constants.js";

export function makeConditions(model) {
  const {
    columns,
    T,
    kind,
    feature,
    threshold,
    missingRoute,
    categoryStart,
    branch,
    nodesTo,
    numberWords,
    rankOf,
    surrogatesOf,
    divided,
  } = model;

  function everyValue(j) {
    const column = columns[j];
    const codes =
      column.kind === "categorical" ? new Uint8Array(column.labels.length).fill(1) : null;
    return { j, low: null, high: null, codes, missing: true, known: true, parts: [] };
  }

  function missingShare(node, b) {
    const route = missingRoute[node];
    if (route !== ALL_BRANCHES || b === STOP_HERE) return route === b ? 1 : 0;
    return divided(node)[b][1];
  }

  const withoutMissing = (above) =>
    above.parts.filter((part) => part.codes && part.codes.some((flag) => flag));

  // The condition on a node's column for the rows that take one branch.
  function narrowed(node, b, above) {
    if (kind[node] === IS_MISSING) {
      if (b === 0) {
        const codes = above.codes ? new Uint8Array(above.codes.length) : null;
        return { ...above, low: null, high: null, codes, known: false };
      }
      return { ...above, missing: false, parts: withoutMissing(above) };
    }
    const surrogates = surrogatesOf(node);
    const share = missingShare(node, b);
    const detour = surrogates.length ? { surrogates, branch: b, otherwise: share } : null;
    const part = { codes: null, share: detour ? 1 : share, detour };
    if (kind[node] !== THRESHOLD) return byCategory(node, b, above, part);
    const missing = above.missing && (detour !== null || share > 0);
    let { parts } = above;
    if (missing && (part.share !== 1 || detour)) parts = [...parts, part];
    const condition = { ...above, missing, parts: missing ? parts : [] };
    if (b === STOP_HERE) return { ...condition, low: null, high: null, known: false };
    const at = threshold[node],
      { low, high } = condition;
    if (b === 0) condition.high = high === null ? at : Math.min(high, at);
    else condition.low = low === null ? at : Math.max(low, at);
    return condition;
  }

  function byCategory(node, b, above, part) {
    const n = columns[above.j].labels.length;
    const own = above.codes || ranksWithin(above, n);
    const listedHere = new Uint8Array(n),
      mine = new Uint8Array(n);
    for (let e = categoryStart[node]; e < categoryStart[node + 1]; e++) {
      listedHere[T.categories[e]] = 1;
      if (T.category_branch[e] === b) mine[T.categories[e]] = 1;
    }
    const coming = part.share > 0 || part.detour !== null;
    const others = own.map((flag, c) => (flag && !listedHere[c] ? 1 : 0));
    const codes = own.map((flag, c) => ((flag && mine[c]) || (coming && others[c]) ? 1 : 0));
    const missing = above.missing && coming;
    let parts = missing ? above.parts : withoutMissing(above);
    const some = others.some((flag) => flag);
    if (coming && (part.share !== 1 || part.detour) && (some || missing)) {
      parts = [...parts, { ...part, codes: others }];
    }
    return { ...above, low: null, high: null, codes, missing, parts };
  }

  // The allowed ranks as flags: some trees divide ranks like categories.
  const ranksWithin = (condition, n) =>
    Uint8Array.from({ length: n }, (_, c) => (condition.known && within(condition, c) ? 1 : 0));

  // All conditions on the path to a node, in the order in which it tests the columns.
  function conditionsOf(node, stops = false) {
    const conditions = new Map();
    const narrow = (at, b) => {
      const j = feature[at];
      conditions.set(j, narrowed(at, b, conditions.get(j) || everyValue(j)));
    };
    const nodes = nodesTo(node);
    for (let i = 1; i < nodes.length; i++) narrow(nodes[i - 1], branch[nodes[i]]);
    if (stops) narrow(node, STOP_HERE);
    return [...conditions.values()];
  }

  // -- in words ---------------------------------------------------------------------

  const within = (c, x) => (c.low === null || x > c.low) && (c.high === null || x <= c.high);

  function categoriesOf(condition) {
    const { labels = [], kind: of } = columns[condition.j];
    if (condition.codes) return labels.filter((_, c) => condition.codes[c]);
    if (of !== "ordinal" || !condition.known) return [];
    return labels.filter((_, c) => within(condition, c));
  }

  function someKnown(condition) {
    if (condition.codes) return condition.codes.some((flag) => flag);
    const bounded = condition.low !== null && condition.high !== null;
    return condition.known && !(bounded && condition.low >= condition.high);
  }

  function oneOf(rank, labels, most, longest, one = "=", many = "in") {
    // The label of an interval, such as "<= 2", already is a condition.
    if (labels.length === 1 && one === "=" && /^[<>]=? /.test(labels[0])) return labels[0];
    if (labels.length === 1) return `${one} ${cut(labels[0], longest)}`;
    return `${many} ${listed(labels, most, longest, rank)}`;
  }

  function boundWords(column, x, longest) {
    if (column.kind !== "ordinal") return numberWords(column, x + 0);
    return cut(column.labels[rankOf(x, column.labels.length)], longest);
  }

  function knownWords(condition, name, most, longest) {
    const column = columns[condition.j];
    const { low, high, codes } = condition;
    if (codes) {
      if (codes.every((flag) => flag)) return "";
      const labels = categoriesOf(condition);
      if (condition.missing && !condition.parts.length && 2 * labels.length > codes.length) {
        const others = column.labels.filter((_, c) => !codes[c]);
        return `${name} ${oneOf(column.rank, others, most, longest, "!=", "not in")}`;
      }
      return `${name} ${oneOf(column.rank, labels, most, longest)}`;
    }
    if (low === null && high === null) return "";
    if (column.kind === "ordinal") {
      const labels = categoriesOf(condition);
      if (labels.length === 1) return `${name} ${oneOf(column.rank, labels, most, longest)}`;
    }
    const bounds = [low, high].filter((x) => x !== null);
    if (column.stored === "bool" && bounds.length === 1 && bounds[0] >= 0 && bounds[0] < 1) {
      return `${name} = ${low !== null ? "True" : "False"}`;
    }
    if (low === null) return `${name} <= ${boundWords(column, high, longest)}`;
    if (high === null) return `${name} > ${boundWords(column, low, longest)}`;
    return `${boundWords(column, low, longest)} < ${name} <= ${boundWords(column, high, longest)}`;
  }

  function missingPart(condition, longest) {
    const plain = condition.parts.filter((part) => !part.detour);
    const share = plain.reduce((product, part) => product * part.share, 1);
    const text = share === 1 ? " or missing" : ` or missing (${percent(share)})`;
    const detours = condition.parts.filter((part) => part.detour).map((part) => part.detour);
    if (!detours.length) return text;
    const surrogates = detours.map((d) =>
      [
        ...d.surrogates.map((s) => surrogateWords(s, d.branch, longest)),
        ...(d.otherwise === 1 ? ["any"] : []),
      ].join(", else "),
    );
    return `${text} with ${surrogates.join("; and ")}`;
  }

  // As in Python: with `missing` null, columns that had missing values show "or missing".
  function conditionWords(condition, { missing = null, most = null, longest = null } = {}) {
    const column = columns[condition.j];
    const name = cut(column.name, longest);
    if (!someKnown(condition)) {
      const unseen = condition.codes ? " or unseen" : "";
      return `${name} is ${condition.missing ? `missing${unseen}` : "impossible"}`;
    }
    const known = knownWords(condition, name, most, longest);
    if (!condition.missing) return known || `${name} is known`;
    if (!known) return `${name} is anything`;
    const showMissing = missing === null ? column.n_missing > 0 : missing;
    return showMissing ? known + missingPart(condition, longest) : known;
  }

  // As in Python: of several conditions, those with an "or" go in brackets.
  const inBrackets = (texts) =>
    texts.length < 2
      ? texts
      : texts.map((text) => (text.includes(" or missing") ? `(${text})` : text));

  function surrogateWords(surrogate, b, longest) {
    const whole = everyValue(surrogate.column);
    if (surrogate.at !== surrogate.at) {
      const codes = new Uint8Array(whole.codes.length);
      for (const [code, to] of surrogate.branches) if (to === b) codes[code] = 1;
      return conditionWords({ ...whole, codes, missing: false }, { missing: false, longest });
    }
    const right = (b === 1) !== surrogate.flip;
    const bound = right ? { low: surrogate.at } : { high: surrogate.at };
    return conditionWords({ ...whole, ...bound, missing: false }, { missing: false, longest });
  }

  return {
    everyValue,
    narrowed,
    within,
    conditionsOf,
    categoriesOf,
    someKnown,
    conditionWords,
    inBrackets,
    surrogateWords,
  };
}
