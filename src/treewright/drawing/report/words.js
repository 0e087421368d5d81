// Texts of splits and numbers: the same as in Python, as tests check.

// Round half to even, as Python writes numbers.
function fixed(x, digits) {
  const scaled = Math.abs(x) * 10 ** digits;
  const down = Math.floor(scaled);
  if (scaled - down === 0.5 && down % 2 === 0) {
    return ((x < 0 ? -down : down) / 10 ** digits).toFixed(digits);
  }
  return x.toFixed(digits);
}

// The shortest decimal that reads back as x, in Python's form.
function number(x) {
  if (x === Infinity || x === -Infinity) return x > 0 ? "inf" : "-inf";
  if (x === 0) return "0";
  const [digits, exponent] = x.toExponential().split("e");
  const e = Number(exponent);
  if (e < -4 || e >= 16) {
    return `${digits}e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;
  }
  if (e >= 0) return String(x);
  const negative = x < 0 ? "-" : "";
  return `${negative}0.${"0".repeat(-e - 1)}${digits.replace(/[-.]/g, "")}`;
}

// x with some significant figures, as "%.4g".
function general(x, figures) {
  if (!Number.isFinite(x)) return x !== x ? "nan" : number(x);
  if (x === 0) return "0";
  const exact = Number(Math.abs(x).toExponential(figures + 12));
  let e = Math.floor(Math.log10(exact));
  if (10 ** (e + 1) <= exact) e += 1;
  if (10 ** e > exact) e -= 1;
  let written = x.toExponential(figures - 1);
  const scaled = Math.abs(x) * 10 ** (figures - 1 - e);
  if (scaled - Math.floor(scaled) === 0.5 && Math.floor(scaled) % 2 === 0) {
    written = `${x < 0 ? "-" : ""}${Math.floor(scaled) / 10 ** (figures - 1)}e${e}`;
  }
  const [digits, exponent] = written.split("e");
  const power = Number(exponent);
  const bare = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  if (power < -4 || power >= figures) {
    return `${bare}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  return number(Number(`${bare}e${power}`));
}
// Four figures, or all before the point with commas between thousands.
const figures = (x) =>
  Math.abs(x) >= 1000 && Math.abs(x) < 1e15
    ? fixed(x, 0).replace(/\B(?=(\d{3})+$)/g, ",")
    : general(x, 4);

function percent(share) {
  if (!(share > 0) || share >= 1) return share >= 1 ? "100%" : "0%";
  if (share < 0.0005) return "<0.1%";
  return share >= 0.9995 ? ">99.9%" : `${fixed(100 * share, 1)}%`;
}
const thousands = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");
const count = (n, one, many = `${one}s`) => `${thousands(n)} ${n === 1 ? one : many}`;
const cut = (text, longest) =>
  longest == null || text.length <= longest
    ? text
    : `${text.slice(0, Math.max(longest - 3, 1))}...`;

function listed(labels, most, longest) {
  const all = most == null || labels.length <= most + 1;
  const shown = (all ? labels : labels.slice(0, most)).map((x) => cut(x, longest));
  const more = all ? "" : `, ... ${labels.length - most} more`;
  return `{${shown.join(", ")}${more}}`;
}

// -- dates ------------------------------------------------------------------------

const MOMENTS = new Set(["date", "datetime"]);
for (const column of columns) {
  column.atWords = new Map();
  if (column.at) column.at[0].forEach((x, i) => column.atWords.set(real(x), column.at[1][i]));
}

function momentWords(value, timezone) {
  const us = Math.floor(value);
  const ms = Math.floor(us / 1000);
  const moment = new Date(ms);
  if (Number.isNaN(moment.getTime())) return `${number(value)} microseconds`;
  const part = us - ms * 1000 + (((ms % 1000) + 1000) % 1000) * 1000;
  const tail = part ? `.${String(part).padStart(6, "0")}` : "";
  const [shift, offset] = timezone ? zoneShift(ms, timezone) : [0, ""];
  const wall = new Date(ms + shift).toISOString().replace(/\.\d+Z$/, "");
  return `${wall}${tail}${offset}`.replace(/T00:00:00$/, "");
}

// The offset of a time zone from UTC at a moment, in ms and as "+01:00".
function zoneShift(ms, timezone) {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone, hourCycle: "h23", year: "numeric", month: "2-digit",
      day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit",
    });
    const part = Object.fromEntries(
      format.formatToParts(new Date(ms)).map((each) => [each.type, Number(each.value)]),
    );
    const wall = Date.UTC(
      part.year, part.month - 1, part.day, part.hour, part.minute, part.second,
    );
    const shift = wall - Math.floor(ms / 1000) * 1000;
    const minutes = Math.abs(Math.round(shift / 60000));
    const two = (n) => String(n).padStart(2, "0");
    const sign = shift < 0 ? "-" : "+";
    return [shift, `${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`];
  } catch {
    return [0, "+00:00"];
  }
}

function durationWords(value) {
  const day = 86400e6;
  const us = Math.floor(value);
  const days = Math.floor(us / day);
  let rest = us - days * day;
  const part = rest % 1e6;
  rest = Math.floor(rest / 1e6);
  const two = (n) => String(n).padStart(2, "0");
  const clock = `${Math.floor(rest / 3600)}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
  const tail = part ? `.${String(part).padStart(6, "0")}` : "";
  const ahead = days ? `${days} day${Math.abs(days) === 1 ? "" : "s"}, ` : "";
  return ahead + clock + tail;
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
  return `in ${listed(labels, most, longest)}`;
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

// The label of a branch in the picture; the node above shows the column.
function branchLabel(node, b) {
  const column = columns[feature[node]];
  const also = arrives.has(node) && b === missingRoute[node] ? " or missing" : "";
  if (kind[node] === IS_MISSING) return b ? "known" : "missing";
  if (kind[node] === THRESHOLD) {
    if (isTwoValued(column, threshold[node])) return (b ? "True" : "False") + also;
    return `${b ? ">" : "≤"} ${fewerDigits(column, threshold[node])}${also}`;
  }
  const labels = branchCategories(node, b);
  if (!labels.length) return "missing or unseen";
  return listed(labels, labels.length > 4 ? 2 : 4, 24).slice(1, -1) + also;
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
        missing: arrives.has(parent[node]), most: 12, longest: 200,
      });
