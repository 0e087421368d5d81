// One row down the tree: where it ends, which answer it gets, and why.
//
// A row is a list with one entry per column: a number (NaN: missing), or for
// categories and ranks a code (-1: missing, -2: unseen).

const isGone = (column, x) => x !== x || (column.kind !== "numeric" && x < 0);

function surrogatesOf(node) {
  const S = T.surrogates;
  if (!S) return [];
  if (!surrogatesOf.start) {
    surrogatesOf.start = starts(S.count);
    surrogatesOf.categories = starts(S.category_count);
  }
  const first = surrogatesOf.start[node];
  const found = [];
  for (let s = first; s < surrogatesOf.start[node + 1]; s++) {
    found.push({
      column: S.feature[s], at: real(S.threshold[s]), flip: S.flip[s] === 1,
      agree: real(S.agree[s]), rows: S.rows[s], branches: new Map(),
    });
  }
  const { categories } = surrogatesOf;
  for (let e = categories[node]; e < categories[node + 1]; e++) {
    found[S.category_of[e]].branches.set(S.categories[e], S.category_branch[e]);
  }
  return found;
}

function bySurrogate(surrogate, row) {
  const x = row[surrogate.column];
  if (isGone(columns[surrogate.column], x)) return -1;
  if (surrogate.at !== surrogate.at) return surrogate.branches.get(x) ?? -1;
  return (x > surrogate.at) !== surrogate.flip ? 1 : 0;
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
  const ended = [], waiting = [[0, 1]];
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

// The class of least expected cost, the first on a tie.
function classByCost(shares) {
  const total = shares.reduce((a, b) => a + b, 0);
  const expected = Array.from(shares, (own, k) =>
    target.costs ? shares.reduce((sum, w, j) => sum + w * target.costs[j][k], 0) : total - own,
  );
  const least = Math.min(...expected);
  const limit = least + 1e-12 * Math.max(...expected);
  return expected.findIndex((cost) => cost <= limit);
}

// The combined answer of the ends of a row.
function answerOf(ends) {
  if (ends.length === 1) {
    const node = ends[0][0];
    return isClass
      ? { cls: label[node], shares: probabilities(node) }
      : { number: numberOf(node), shares: null };
  }
  if (!isClass) {
    return { number: ends.reduce((sum, [i, s]) => sum + numberOf(i) * s, 0), shares: null };
  }
  const shares = new Float64Array(classes.length);
  for (const [node, part] of ends) {
    probabilities(node).forEach((share, k) => (shares[k] += share * part));
  }
  return { cls: classByCost(shares), shares };
}
const answerText = (answer) =>
  isClass ? cut(classes[answer.cls], 60) : answerNumber(answer.number);

// -- in sentences -----------------------------------------------------------------

const DIVIDED =
  "the row goes down every branch, by weight; the largest part is followed";

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

function valueWords(row, j) {
  const x = row[j];
  if (!isGone(columns[j], x)) return say(columns[j], x);
  return x === -2 ? "never seen" : "missing";
}

function goneWords(node, turn, value) {
  if (!turn.gone) return "";
  if (turn.surrogate) {
    const rule = splitWords(node, turn.branch, { most: 6, longest: 60 });
    return `${surrogateWords(turn.surrogate, turn.branch, 60)} stands in for it, as if ${rule}`;
  }
  if (turn.branch === STOP_HERE) return "the row stops here";
  if (turn.branch === ALL_BRANCHES) return DIVIDED;
  const known = value === "missing" ? "" : "not known here, ";
  const rule = splitWords(node, turn.branch, { missing: true, most: 6, longest: 60 });
  return `${known}it goes where missing values go, ${rule}`;
}

function marginWords(column, margin, share) {
  if (!Number.isFinite(margin) || column.stored === "bool") return "";
  const about = `about ${percent(share)} of rows between`
    .replace("about <", "less than ").replace("about >", "more than ");
  if (!["float", "int", "text"].includes(column.stored)) return ` (${about})`;
  if (margin === 0) return " (exactly at the threshold)";
  const side = margin > 0 ? "above" : "below";
  return ` (${figures(Math.abs(margin))} ${side}, ${about})`;
}

// The path of a row, step by step; for a divided row, of its largest part.
function stepsOf(row) {
  const steps = [];
  const end = endsOf(row).reduce((a, b) => (b[1] > a[1] ? b : a))[0];
  let node = 0;
  while (!isEnd(node)) {
    const turn = turnAt(node, row);
    const j = feature[node], column = columns[j];
    let b = turn.branch;
    const below = children(node);
    if (b === ALL_BRANCHES) b = below.findIndex((c) => c <= end && end < c + size[c]);
    const next = b === STOP_HERE ? node : below[b];
    const value = valueWords(row, j);
    const gone = goneWords(node, turn, value);
    const rule = b === STOP_HERE ? "" : splitWords(node, b, { most: 6, longest: 60 });
    let tail = "";
    if (kind[node] === THRESHOLD && !turn.gone && column.kind === "numeric") {
      tail = marginWords(
        column, row[j] - threshold[node], rowsBetween(column, row[j], threshold[node]),
      );
    }
    const name = cut(column.name, 60);
    steps.push({
      node, next, branch: b,
      sentence: gone ? `${name} is ${value}: ${gone}` : `${name} is ${value}, so ${rule}${tail}`,
    });
    node = next;
    if (b === STOP_HERE) break;
  }
  return steps;
}
