// What a row, or a node, answers.

import { cut } from "./numbers.js";
import { Z, wilson } from "./interval.js";

export function makeAnswers(model) {
  const {
    target,
    N,
    isClass,
    classes,
    size,
    rows,
    weight,
    weightSquared,
    label,
    isMedian,
    mean,
    numberOf,
    probabilities,
    variance,
    stopsHere,
    children,
    isEnd,
    confidence,
    answerNumber,
  } = model;

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

  // The nodes where a row can end, in the tree of the chosen size.
  function answerNodes() {
    const found = [];
    for (let i = 0; i < N;) {
      if (isEnd(i)) {
        found.push(i);
        i += size[i];
      } else {
        if (stopsHere.has(i)) found.push(i);
        i += 1;
      }
    }
    return found;
  }

  // Rows and weight that end in a node; for an inner node, only those that stop there.
  function endedIn(node) {
    if (isEnd(node)) return [rows[node], weight[node]];
    let n = rows[node],
      w = weight[node];
    for (const c of children(node)) {
      n -= rows[c];
      w -= weight[c];
    }
    return n > 0 ? [n, Math.max(w, 0)] : [0, 0];
  }

  // 95% interval of the share of the answer, or of the mean; a median has none.
  function intervalOf(node) {
    const n = weight[node] ** 2 / weightSquared[node];
    if (!isClass) {
      const half = n > 1 && !isMedian ? (Z * Math.sqrt(variance[node])) / Math.sqrt(n - 1) : NaN;
      return [mean[node] - half, mean[node] + half];
    }
    return wilson(confidence(node), n);
  }

  return {
    answerOf,
    answerText,
    answerNodes,
    endedIn,
    intervalOf,
  };
}
