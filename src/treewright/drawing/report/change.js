// The smallest change of a row that leads to another answer: as few columns as possible,
// then the smallest share of training rows between the two values. The search is
// best-first from the root, so the first wanted answer is the smallest change.

function shareBelow(column, x) {
  const marks = (column.five || []).filter((mark) => mark !== null).map(real);
  if (!marks.length) return 0.5;
  let place = 0;
  while (place < marks.length && marks[place] <= x) place += 1;
  if (place === 0) return 0;
  if (place === marks.length) return [0, 0.25, 0.5, 0.75, 1][marks.length - 1];
  const low = marks[place - 1], high = marks[place];
  const part = Number.isFinite(high - low) ? (x - low) / (high - low) : 0.5;
  return (place - 1 + part) / 4;
}

function rowsBetween(column, one, other) {
  if (column.kind === "ordinal") {
    return Math.min(Math.abs(one - other) / Math.max(column.labels.length - 1, 1), 1);
  }
  return Math.abs(shareBelow(column, one) - shareBelow(column, other));
}

function meets(condition, x) {
  if (isGone(columns[condition.j], x)) return condition.missing;
  if (condition.codes) return condition.codes[x] === 1;
  return condition.known && within(condition, x);
}

const median = (column) => (column.five && column.five[2] !== null ? real(column.five[2]) : 0);

// The shortest value in the middle half of a gap; NaN if there is none.
function shortBetween(column, a, b) {
  const quarter = b / 4 - a / 4, low = a + quarter, high = b - quarter;
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
  let width = Math.abs(low) / 100 || 1;
  if (column.five && column.five[1] !== null && column.five[3] !== null) {
    width = (real(column.five[3]) - real(column.five[1])) / 50 || width;
  }
  const after = shortBetween(column, low, Math.min(top, low + width));
  return low < after && after <= top ? after : nextUp(low);
}

function nextUp(x) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x === 0 ? 0 : x);
  const bits = view.getBigInt64(0);
  view.setBigInt64(0, x >= 0 ? bits + 1n : bits - 1n);
  return view.getFloat64(0);
}

// The bound that excludes a value, and the nearest value that is allowed.
function moved(condition, x) {
  const column = columns[condition.j];
  const { low, high } = condition;
  const ordinal = column.kind === "ordinal";
  const whole = ordinal || column.stored === "int" || column.stored === "bool";
  const ifMet = (y, otherwise) => {
    if (!ordinal) return meets(condition, y) ? y : otherwise;
    return y >= 0 && y < column.labels.length && meets(condition, y) ? y : NaN;
  };
  if (high !== null && x > high) {
    return [high, ifMet(whole && Number.isFinite(high) ? Math.floor(high) : high, high)];
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
    const float = new Float32Array([near]), bits = new Int32Array(float.buffer);
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

// A heap of partial paths, the cheapest first.
class Frontier {
  constructor() { this.items = []; this.order = 0; }
  static before(a, b) {
    return a.steps.size - b.steps.size || a.cost - b.cost || a.order - b.order;
  }
  push(item) {
    item.order = this.order++;
    const { items } = this;
    let i = items.push(item) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (Frontier.before(items[up], items[i]) <= 0) break;
      [items[up], items[i]] = [items[i], items[up]];
      i = up;
    }
  }
  pop() {
    const { items } = this;
    const top = items[0], last = items.pop();
    if (items.length) {
      items[0] = last;
      for (let i = 0; ; ) {
        let least = i;
        for (const c of [2 * i + 1, 2 * i + 2]) {
          if (c < items.length && Frontier.before(items[c], items[least]) < 0) least = c;
        }
        if (least === i) break;
        [items[least], items[i]] = [items[i], items[least]];
        i = least;
      }
    }
    return top;
  }
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
  let was = valueWords(row, j), now = say(column, step.value);
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
    more = ` (or ${others.slice(0, 3).map((x) => cut(x, 60)).join(", ")}`;
    more += others.length > 3 ? ", ...)" : ")";
  } else if (column.kind === "numeric") {
    more = ` (${conditionWords(step.condition, { missing: false, longest: 60 })})`;
  }
  return `${cut(column.name, 60)} from ${was} to ${now}${more}`;
}
