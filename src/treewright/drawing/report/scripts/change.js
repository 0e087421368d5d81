// The smallest change of a row that leads to another answer: as few columns as possible,
// then the smallest share of training rows between the two values. The search is
// best-first from the root, so the first wanted answer is the smallest change.

import { general, cut } from "./numbers.js";
import { MOMENTS, momentAbove, momentBelow } from "./moments.js";
import { real } from "./arrays.js";
import { IS_MISSING, STOP_HERE } from "./constants.js";
import { rowsBetween, median, nextUp } from "./distance.js";
import { Frontier } from "./frontier.js";

export function makeChange(model) {
  const {
    columns,
    T,
    kind,
    feature,
    missingRoute,
    children,
    isEnd,
    say,
    endsOf,
    isGone,
    asRead,
    everyValue,
    narrowed,
    categoriesOf,
    someKnown,
    conditionWords,
    within,
    answerOf,
    valueWords,
  } = model;

  function meets(condition, x) {
    if (isGone(columns[condition.j], x)) return condition.missing;
    if (condition.codes) return condition.codes[x] === 1;
    return condition.known && within(condition, x);
  }

  // The shortest value in the middle half of a gap; NaN if there is none.
  function shortBetween(column, a, b) {
    const quarter = b / 4 - a / 4,
      low = a + quarter,
      high = b - quarter;
    const middle = a / 2 + b / 2;
    if (!Number.isFinite(quarter) || !(a <= low && low <= high && high < b)) return NaN;
    let candidates = [0];
    if (MOMENTS.has(column.stored) || column.stored === "duration") {
      candidates = [86400e6, 3600e6, 60e6, 1e6, 1e3, 1].map((u) => Math.round(middle / u) * u);
    } else {
      for (let d = 0; d < 16; d++) candidates.push(Number(middle.toExponential(d)));
    }
    const found = candidates.find((x) => low <= x && x <= high);
    return found === undefined ? NaN : found;
  }

  // A short value a little above the lower bound of a condition.
  function justAbove(condition) {
    const column = columns[condition.j];
    const { low } = condition;
    const top = condition.high === null ? Infinity : condition.high;
    if (column.grain) {
      const moment = momentAbove(column, low);
      if (low < moment && moment <= top) return moment;
    }
    let width = Math.abs(low) / 100 || 1;
    if (column.five && column.five[1] !== null && column.five[3] !== null) {
      width = (real(column.five[3]) - real(column.five[1])) / 50 || width;
    }
    const after = shortBetween(column, low, Math.min(top, low + width));
    return low < after && after <= top ? after : nextUp(low);
  }

  // The bound that excludes a value, and the nearest value that is allowed.
  function moved(condition, x) {
    const column = columns[condition.j];
    const { low, high } = condition;
    const ordinal = column.kind === "ordinal";
    const whole = ordinal || column.whole === true;
    const ifMet = (y, otherwise) => {
      if (!ordinal) return meets(condition, y) ? y : otherwise;
      return y >= 0 && y < column.labels.length && meets(condition, y) ? y : NaN;
    };
    if (high !== null && x > high) {
      let below = high;
      if (whole && Number.isFinite(high)) below = Math.floor(high);
      else if (column.grain && Number.isFinite(high)) below = momentBelow(column, high);
      return [high, ifMet(below, high)];
    }
    if (low !== null && x <= low) {
      if (!Number.isFinite(low)) return [low, high !== null ? high : 0];
      const top = ordinal ? column.labels.length - 1 : Infinity;
      if (whole && Math.floor(low) + 1 <= top) {
        return [low, ifMet(Math.floor(low) + 1, ordinal ? NaN : justAbove(condition))];
      }
      return [low, ordinal ? NaN : justAbove(condition)];
    }
    return [x, x];
  }

  // The value, or its neighbour if rounding to float32 moves it outside.
  function keptInside(condition, y) {
    const near = asRead(columns[condition.j], y);
    if (near === y || meets(condition, near)) return y;
    const beside = [-1, 1].map((sign) => {
      const float = new Float32Array([near]),
        bits = new Int32Array(float.buffer);
      if (near) bits[0] += near > 0 ? sign : -sign;
      else float[0] = sign * 2 ** -149;
      return float[0];
    });
    return beside.find((x) => meets(condition, x)) ?? NaN;
  }

  // The nearest known value that meets a condition; null if none does.
  function nearest(condition, x) {
    const column = columns[condition.j];
    if (condition.codes) {
      const first = condition.codes.indexOf(1);
      return first < 0 ? null : { size: 1, value: first, condition };
    }
    if (!condition.known || !(condition.missing || someKnown(condition))) return null;
    const gone = isGone(column, x);
    const middle =
      column.kind === "ordinal" ? Math.floor((column.labels.length - 1) / 2) : median(column);
    const start = gone ? middle : x;
    const [bound, beyond] = moved(condition, start);
    const after = keptInside(condition, beyond);
    if (after !== after) return null;
    return { size: gone ? 1 : rowsBetween(column, start, bound), value: after, condition };
  }

  // The smallest change to an answer that `wanted` accepts; null if there is none.
  function smallestChange(row, wanted, fixedColumns = new Set()) {
    const mayAnswer = (node) => Boolean(T.divide_by) || wanted(answerOf([[node, 1]]));
    const frontier = new Frontier();
    frontier.push({ node: 0, ends: isEnd(0), conditions: new Map(), steps: new Map(), cost: 0 });
    while (frontier.items.length) {
      const partial = frontier.pop();
      if (!partial.ends) {
        for (const next of exitsOf(partial.node)) {
          const longer = takeBranch(row, partial, next, fixedColumns);
          if (longer) frontier.push(longer);
        }
      } else if (mayAnswer(partial.node)) {
        const after = row.slice();
        for (const [j, step] of partial.steps) after[j] = asRead(columns[j], step.value);
        const answer = answerOf(endsOf(after));
        if (wanted(answer)) return { steps: partial.steps, answer, row: after };
      }
    }
    return null;
  }

  function exitsOf(node) {
    const out = children(node).map((c, b) => ({ node: c, ends: isEnd(c), branch: b }));
    if (missingRoute[node] === STOP_HERE && kind[node] !== IS_MISSING) {
      out.push({ node, ends: true, branch: STOP_HERE });
    }
    return out;
  }

  function takeBranch(row, partial, next, fixedColumns) {
    const j = feature[partial.node];
    const above = partial.conditions.get(j) || everyValue(j);
    const condition = narrowed(partial.node, next.branch, above);
    const conditions = new Map(partial.conditions).set(j, condition);
    let { steps } = partial;
    if (!meets(condition, row[j])) {
      if (fixedColumns.has(j)) return null;
      const step = nearest(condition, row[j]);
      if (!step) return null;
      steps = new Map(steps).set(j, step);
    }
    let cost = 0;
    for (const step of steps.values()) cost += step.size;
    cost = Math.round(cost * 1e12) / 1e12;
    return { node: next.node, ends: next.ends, conditions, steps, cost };
  }

  // Both values as text, with enough figures to distinguish them; the text of the new
  // value must also meet the condition when read back.
  function bothValues(row, j, step) {
    const column = columns[j];
    let was = valueWords(row, j),
      now = say(column, step.value);
    if (column.kind !== "numeric" || !["float", "text"].includes(column.stored)) return [was, now];
    for (let d = 7; d <= 17 && (now === was || !meets(step.condition, Number(now))); d++) {
      now = general(step.value, d);
      if (!isGone(column, row[j]) && was.length >= 6) was = general(row[j], d);
    }
    return [was, now];
  }

  function changeWords(row, j, step) {
    const column = columns[j];
    const [was, now] = bothValues(row, j, step);
    const own = column.kind === "numeric" ? null : column.labels[step.value];
    const others = categoriesOf(step.condition).filter((x) => x !== own);
    let more = "";
    if (others.length) {
      more = ` (or ${others
        .slice(0, 3)
        .map((x) => cut(x, 60))
        .join(", ")}`;
      more += others.length > 3 ? ", ...)" : ")";
    } else if (column.kind === "numeric") {
      more = ` (${conditionWords(step.condition, { missing: false, longest: 60 })})`;
    }
    return `${cut(column.name, 60)} from ${was} to ${now}${more}`;
  }

  return {
    smallestChange,
    changeWords,
  };
}
