// The arrays of the tree, one entry per node, in preorder.
//
// Node i's subtree is [i, i + size[i]); its first child is i + 1 and the next sibling
// of c is c + size[c]. There is no recursion.

import { real, reals, starts } from "./arrays.js";
import { THRESHOLD } from "./constants.js";

export function makeShape(data) {
  const { columns, target, test, story } = data;
  const T = data.tree;
  const N = T.size.length;
  const isClass = target.kind === "class";
  const classes = target.classes || [];

  // Spreads the entries of the nodes that `has` accepts over all nodes.
  const spread = (Type, list, has, empty) => {
    const out = new Type(N).fill(empty);
    let next = 0;
    for (let i = 0; i < N; i++) if (has(i)) out[i] = real(list[next++]);
    return out;
  };

  const size = Int32Array.from(T.size);
  const kind = Int8Array.from(T.kind);
  const feature = Int32Array.from(T.feature);
  const isInner = (i) => size[i] > 1;
  const threshold = spread(Float64Array, T.threshold, (i) => kind[i] === THRESHOLD, NaN);
  const missingRoute = spread(Int32Array, T.missing, isInner, -1);
  const gain = spread(Float64Array, T.gain, isInner, 0);
  const stopReason = spread(Int32Array, T.stop, (i) => !isInner(i), 0);
  const rows = Float64Array.from(T.rows);
  const weight = T.weight ? reals(T.weight) : rows;
  const weightSquared = T.weight_squared ? reals(T.weight_squared) : rows;
  const divideBy = T.divide_by ? reals(T.divide_by) : weight;
  const impurity = reals(T.impurity);
  const risk = reals(T.risk);
  const label = isClass ? Int32Array.from(T.label) : null;
  const isMedian = target.answer === "median";
  const mean = isClass ? null : reals(T.mean);
  // What nodes answer where that differs from their evidence: a number each, or the
  // probability of every class, node by node.
  const ownAnswer = T.answer ? reals(T.answer) : null;
  const numberOf = (node) => (ownAnswer || mean)[node];
  const variance = isClass ? null : reals(T.variance);
  const quartiles = isClass ? null : T.quartiles.map(reals);
  const categoryStart = starts(T.category_count, N);
  const unproven = new Set(T.unproven);
  const arrives = new Set(T.arrives);
  const stopsHere = new Set(T.stops);

  // Class weights from their nonzero entries.
  const sparse = (given) => ({
    start: starts(given.count, N),
    cls: Int32Array.from(given.class),
    weight: reals(given.weight),
  });
  const value = isClass ? sparse(T.value) : null;
  const testRows = test ? Float64Array.from(test.rows) : null;
  const testWeight = test ? (test.weight ? reals(test.weight) : testRows) : null;
  const testError = test ? reals(test.error) : null;
  const testMean = test && !isClass ? reals(test.mean) : null;
  const testValue = test && test.value ? sparse(test.value) : null;

  // -- shape ------------------------------------------------------------------------

  const parent = new Int32Array(N).fill(-1);
  const branch = new Int32Array(N).fill(-1);
  const depth = new Int32Array(N);
  for (let i = 0; i < N; i++) {
    let b = 0;
    for (let c = i + 1; c < i + size[i]; c += size[c]) {
      parent[c] = i;
      branch[c] = b++;
      depth[c] = depth[i] + 1;
    }
  }
  const children = (i) => {
    const out = [];
    for (let c = i + 1; c < i + size[i]; c += size[c]) out.push(c);
    return out;
  };
  const nodesTo = (node) => {
    const nodes = [];
    for (let i = node; i >= 0; i = parent[i]) nodes.push(i);
    return nodes.reverse();
  };

  // -- the pruning path -------------------------------------------------------------

  const path = data.path;
  const collapsesAt = spread(Int32Array, path.collapses_at, isInner, 1 << 30);

  // The chosen size of the tree, a step of the pruning path; 0 is the whole tree.
  let step = 0;
  const stepNow = () => step;
  const isEnd = (i) => size[i] === 1 || collapsesAt[i] <= step;

  let leavesBefore = null;
  // Leaves below a node, in the tree of the chosen size.
  const leavesBelow = (i) => leavesBefore[i + size[i]] - leavesBefore[i];
  const countLeaves = () => {
    leavesBefore = new Int32Array(N + 1);
    for (let i = 0, skip = 0; i < N; i++) {
      let here = 0;
      if (i >= skip && isEnd(i)) {
        here = 1;
        skip = i + size[i];
      }
      leavesBefore[i + 1] = leavesBefore[i] + here;
    }
  };
  countLeaves();
  const chooseStep = (to) => {
    step = Math.min(Math.max(to, 0), path.leaves.length - 1);
    countLeaves();
  };

  // -- what nodes answer ------------------------------------------------------------

  // Weight of every class in a node, of the training rows or of the test rows.
  const classWeights = (node, of = value) => {
    const out = new Float64Array(classes.length);
    for (let e = of.start[node]; e < of.start[node + 1]; e++) out[of.cls[e]] = of.weight[e];
    return out;
  };
  // Class shares; all equal if the node has no weight.
  const classShares = (node, of = value) => {
    const out = classWeights(node, of);
    let total = 0;
    for (const w of out) total += w;
    return out.map((w) => (total > 0 ? w / total : 1 / out.length));
  };
  const probabilities = (node) =>
    ownAnswer
      ? ownAnswer.slice(node * classes.length, (node + 1) * classes.length)
      : classShares(node);
  const confidence = (node) => {
    let total = 0,
      own = 0;
    for (let e = value.start[node]; e < value.start[node + 1]; e++) {
      total += value.weight[e];
      if (value.cls[e] === label[node]) own = value.weight[e];
    }
    return total > 0 ? own / total : 1 / classes.length;
  };
  // The probability of the answer of a node; confidence is the evidence for it.
  const probability = (node) =>
    ownAnswer ? ownAnswer[node * classes.length + label[node]] : confidence(node);
  const shareOf = (node) => (weight[0] > 0 ? weight[node] / weight[0] : 0);

  return {
    data,
    columns,
    target,
    test,
    story,
    T,
    N,
    isClass,
    classes,
    size,
    kind,
    feature,
    isInner,
    threshold,
    missingRoute,
    gain,
    stopReason,
    rows,
    weight,
    weightSquared,
    divideBy,
    impurity,
    risk,
    label,
    isMedian,
    mean,
    numberOf,
    probabilities,
    variance,
    quartiles,
    categoryStart,
    unproven,
    arrives,
    stopsHere,
    value,
    testRows,
    testWeight,
    testError,
    testMean,
    testValue,
    parent,
    branch,
    depth,
    children,
    nodesTo,
    path,
    collapsesAt,
    stepNow,
    isEnd,
    leavesBelow,
    chooseStep,
    classWeights,
    classShares,
    confidence,
    probability,
    ownAnswer,
    shareOf,
  };
}
