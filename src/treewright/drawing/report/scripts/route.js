// One row down the tree: which branch it takes, and where it ends.
//
// A row is a list with one entry per column: a number (NaN: missing), or for
// categories and ranks a code (-1: missing, -2: unseen).

import { real, starts } from "./arrays.js";
import { THRESHOLD, IS_MISSING, STOP_HERE, ALL_BRANCHES } from "./constants.js";

export function makeRoute(model) {
  const {
    columns,
    T,
    N,
    kind,
    feature,
    threshold,
    missingRoute,
    divideBy,
    categoryStart,
    children,
    isEnd,
  } = model;

  const isGone = (column, x) => x !== x || (column.kind !== "numeric" && x < 0);

  const S = T.surrogates;
  const surrogateStart = S ? starts(S.count, N) : null;
  const surrogateCategories = S ? starts(S.category_count, N) : null;

  function surrogatesOf(node) {
    if (!S) return [];
    const found = [];
    for (let s = surrogateStart[node]; s < surrogateStart[node + 1]; s++) {
      found.push({
        column: S.feature[s],
        at: real(S.threshold[s]),
        flip: S.flip[s] === 1,
        agree: real(S.agree[s]),
        rows: S.rows[s],
        branches: new Map(),
      });
    }
    for (let e = surrogateCategories[node]; e < surrogateCategories[node + 1]; e++) {
      found[S.category_of[e]].branches.set(S.categories[e], S.category_branch[e]);
    }
    return found;
  }

  function bySurrogate(surrogate, row) {
    const x = row[surrogate.column];
    if (isGone(columns[surrogate.column], x)) return -1;
    if (surrogate.at !== surrogate.at) return surrogate.branches.get(x) ?? -1;
    return x > surrogate.at !== surrogate.flip ? 1 : 0;
  }

  // Where a row goes at a split: a branch, STOP_HERE or ALL_BRANCHES.
  function turnAt(node, row) {
    const x = row[feature[node]];
    const gone = isGone(columns[feature[node]], x);
    if (kind[node] === IS_MISSING) return { branch: gone ? 0 : 1, gone };
    if (!gone && kind[node] === THRESHOLD) {
      return { branch: x <= threshold[node] ? 0 : 1, gone: false };
    }
    if (!gone) {
      for (let e = categoryStart[node]; e < categoryStart[node + 1]; e++) {
        if (T.categories[e] === x) return { branch: T.category_branch[e], gone: false };
      }
    }
    for (const surrogate of surrogatesOf(node)) {
      const b = bySurrogate(surrogate, row);
      if (b >= 0) return { branch: b, gone: true, surrogate };
    }
    return { branch: missingRoute[node], gone: true };
  }

  // A number as the tree reads it: some columns are rounded to float32.
  const asRead = (column, x) => (column.float32 ? Math.fround(x) : x);

  // The shares of a divided row that take each branch of a node.
  function divided(node) {
    const below = children(node);
    let total = 0;
    for (const c of below) total += divideBy[c];
    return below.map((c) => [c, total > 0 ? divideBy[c] / total : 1 / below.length]);
  }

  // The nodes where a row ends with their shares, in preorder.
  function endsOf(row) {
    const ended = [],
      waiting = [[0, 1]];
    while (waiting.length) {
      const [node, share] = waiting.pop();
      const to = isEnd(node) ? STOP_HERE : turnAt(node, row).branch;
      if (to === STOP_HERE) ended.push([node, share]);
      else if (to === ALL_BRANCHES) {
        for (const [c, part] of divided(node).reverse()) {
          if (part > 0) waiting.push([c, share * part]);
        }
      } else waiting.push([children(node)[to], share]);
    }
    return ended;
  }

  return {
    surrogatesOf,
    isGone,
    asRead,
    turnAt,
    divided,
    endsOf,
  };
}
