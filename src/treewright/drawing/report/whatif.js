// What if: a form for one row, its path down the tree, and its smallest change.

const asked = columns.map((_, j) => j).filter((j) => columns[j].used)
  .sort((a, b) => real(columns[b].importance) - real(columns[a].importance) || a - b);
const row = new Array(columns.length).fill(NaN);
const fields = new Map();
const locked = new Set();
const MOST_OPTIONS = 300;

const isNumber = (column) => column.kind === "numeric" || Boolean(column.cuts);

// -- reading ----------------------------------------------------------------------

// Reads a number of the column; NaN if the text is empty, null if it cannot be read.
function readNumber(column, text) {
  const plain = text.trim();
  if (!plain) return NaN;
  if (MOMENTS.has(column.stored)) return readMoment(plain, column.timezone);
  if (column.stored === "duration") return readDuration(plain);
  if (column.stored === "bool" && /^(true|false)$/i.test(plain)) return /^t/i.test(plain) ? 1 : 0;
  if (/^[+-]?inf(inity)?$/i.test(plain)) return plain[0] === "-" ? -Infinity : Infinity;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return null;
  return asRead(column, Number(plain));
}

function readMoment(text, timezone) {
  const form = /^([+-]?\d{4,6})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;
  const found = form.exec(text);
  if (!found) return null;
  const [, year, month, day, hour = 0, minute = 0, second = 0, part = "", zone] = found;
  const wall = Date.UTC(2000, month - 1, day, hour, minute, second);
  const date = new Date(wall);
  date.setUTCFullYear(Number(year), month - 1, day);
  if (date.getUTCDate() !== Number(day) || month < 1 || month > 12) return null;
  let ms = date.getTime();
  if (zone && !/z/i.test(zone)) {
    const sign = zone[0] === "-" ? -1 : 1, digits = zone.replace(/\D/g, "");
    ms -= sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * 60000;
  } else if (!zone && timezone) {
    const guess = ms - zoneShift(ms, timezone)[0];
    ms -= zoneShift(guess, timezone)[0];
  }
  return ms * 1000 + Number(part.padEnd(6, "0").slice(0, 6));
}

function readDuration(text) {
  const found = /^(?:([+-]?\d+)\s*days?,?\s*)?(?:(\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?)?$/i.exec(text);
  if (!found || !(found[1] || found[2])) return null;
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = found;
  return Math.round(((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60e6 + Number(seconds) * 1e6);
}

// The interval that contains a number; each interval includes its upper cut.
function codeOf(column, x) {
  if (x !== x) return -1;
  let low = 0, high = column.cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (real(column.cuts[middle]) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Copies the value of a field into the row; false if it cannot be read.
function readField(j) {
  const column = columns[j], { input } = fields.get(j);
  let x;
  if (!isNumber(column)) {
    if (input.tagName === "SELECT") x = Number(input.value);
    else x = input.value === "" ? -1 : column.labels.indexOf(input.value);
    row[j] = x === -1 && input.tagName !== "SELECT" && input.value !== "" ? -2 : x;
    return true;
  }
  x = input.tagName === "SELECT" ? (input.value === "" ? NaN : Number(input.value)) : readNumber(column, input.value);
  if (x === null) return false;
  row[j] = column.cuts ? codeOf(column, x) : x;
  return true;
}

// -- the form ---------------------------------------------------------------------

// The categories of each column on the path of the heaviest branches.
function heaviestCategories() {
  const found = new Map();
  for (let node = 0; size[node] > 1; ) {
    const below = children(node);
    const b = below.reduce((best, c, i) => (weight[c] > weight[below[best]] ? i : best), 0);
    const own = [];
    for (let e = categoryStart[node]; e < categoryStart[node + 1]; e++) {
      if (T.category_branch[e] === b) own.push(T.categories[e]);
    }
    const before = found.get(feature[node]);
    const both = before ? own.filter((code) => before.includes(code)) : own;
    if (both.length) found.set(feature[node], both);
    node = below[b];
  }
  return found;
}

function startValue(column, codes = [0]) {
  if (!isNumber(column)) return codes[0];
  if (column.five && column.five[2] !== null) {
    const x = real(column.five[2]);
    return column.stored === "int" || column.stored === "bool" ? Math.floor(x) : x;
  }
  if (column.cuts && column.cuts.length) return real(column.cuts[Math.floor(column.cuts.length / 2)]);
  return NaN;
}

function fieldOf(j) {
  const column = columns[j], id = `field-${j}`;
  let input;
  if (column.stored === "bool" && isNumber(column)) {
    input = options(id, [["", "missing"], ["0", "False"], ["1", "True"]]);
  } else if (isNumber(column)) {
    const hints = { date: "YYYY-MM-DD", datetime: "YYYY-MM-DD hh:mm:ss", duration: "2 days, 3:00:00" };
    input = el("input", {
      id, type: "text", inputmode: hints[column.stored] ? "text" : "decimal", autocomplete: "off", spellcheck: "false",
      placeholder: hints[column.stored] ? `${hints[column.stored]}, or missing` : "missing",
      title: column.range ? `Training rows: ${column.range[0]} to ${column.range[2]}, median ${column.range[1]}. Empty means missing.` : "Empty means missing.",
    });
  } else if (column.labels.length <= MOST_OPTIONS) {
    input = options(id, [
      ...column.labels.map((text, c) => [String(c), cut(text, 80)]), ["-1", "(missing)"], ["-2", "(an unseen category)"],
    ]);
  } else {
    const list = el("datalist", { id: `${id}-list` }, ...column.labels.slice(0, 2000).map((text) => el("option", { value: text })));
    input = el("input", { id, type: "text", list: `${id}-list`, autocomplete: "off", placeholder: "missing" });
    input.append(list);
    fields.list = list;
  }
  const lock = el("button", {
    type: "button", class: "lock", "aria-pressed": "false", title: "Keep this value in the smallest change",
    "aria-label": `Keep ${cut(column.name, 60)}`, text: "keep",
    onclick: () => {
      locked.has(j) ? locked.delete(j) : locked.add(j);
      lock.setAttribute("aria-pressed", locked.has(j));
      walkRow();
    },
  });
  fields.set(j, { input });
  input.addEventListener("input", walkRow);
  const line = el("div", { class: "field" },
    el("label", { for: id, text: cut(column.name, 60), title: column.name }), input, lock);
  if (input.list === null && fields.list) line.append(fields.list);
  fields.list = null;
  return line;
}

function options(id, pairs) {
  return el("select", { id }, ...pairs.map(([to, text]) => el("option", { value: to, text })));
}

function putValue(j, x) {
  const column = columns[j], { input } = fields.get(j);
  if (input.tagName === "SELECT") input.value = x !== x ? (isNumber(column) ? "" : "-1") : String(x);
  else if (!isNumber(column)) input.value = x >= 0 ? column.labels[x] : "";
  else if (column.cuts && column.kind !== "numeric") input.value = x !== x ? "" : numberWords({ ...column, atWords: new Map() }, x);
  else input.value = x !== x ? "" : numberWords(column, x);
}

// -- the answer -------------------------------------------------------------------

function unreadWords(j) {
  const { name, stored } = columns[j];
  const holds = { date: "a date such as 2024-01-31", datetime: "a moment such as 2024-01-31 12:30", duration: "a duration such as 2 days, 3:00:00", bool: "True or False" };
  return `${cut(name, 60)}: "${cut(fields.get(j).input.value, 40)}" cannot be read as ${holds[stored] || "a number"}. Leave it empty if it is missing.`;
}

function walkRow() {
  const bad = asked.filter((j) => {
    const fine = readField(j);
    fields.get(j).input.setAttribute("aria-invalid", !fine);
    return !fine;
  });
  if (bad.length) {
    byId("walked").replaceChildren(...bad.map((j) => el("p", { class: "note warn", text: unreadWords(j) })));
    byId("changed").replaceChildren();
    byId("row-path").replaceChildren();
    return;
  }
  const ends = endsOf(row), answer = answerOf(ends), taken = stepsOf(row);
  const last = taken.length ? taken[taken.length - 1].next : 0;
  state.highlighted = new Set(ends.flatMap(([node]) => nodesTo(node)));
  markCards();
  redraw();
  byId("walked").replaceChildren(answerBox(answer, ends));
  byId("changed").replaceChildren(changeBox(answer));
  byId("row-path").replaceChildren(
    el("h3", { text: "Path of the row" }),
    el("ol", { class: "row-path" }, ...taken.map((step) =>
      el("li", {}, el("button", { type: "button", text: step.sentence, onclick: () => select(step.next, { highlight: false }) })))),
    el("p", { class: "small muted", text: ends.length > 1 ? `The row is divided over ${count(ends.length, "end")}.` : `It ends in node ${last}, with ${count(rows[last], "training row")}.` }),
  );
}

function answerBox(answer, ends) {
  const head = el("p", { class: "answer big", id: "what-if-answer" },
    el("span", { class: "muted", text: `${cut(target.name, 40)} ` }), el("b", { text: answerText(answer) }));
  if (!isClass) {
    const node = ends[0][0];
    const more = ends.length > 1 ? "" : `half of such rows lie between ${figures(quartiles[0][node])} and ${figures(quartiles[2][node])}`;
    return el("div", { class: "result" }, head, el("p", { class: "small muted", text: more }));
  }
  const order = Array.from(answer.shares.keys()).sort((a, b) => answer.shares[b] - answer.shares[a] || a - b);
  return el("div", { class: "result" }, head, el("ul", { class: "shares" }, ...order.slice(0, 5).filter((k) => answer.shares[k] > 0).map((k) =>
    el("li", {}, el("span", { text: cut(classes[k], 30) }),
      el("span", { class: "track" }, el("i", { style: { width: `${100 * answer.shares[k]}%`, background: `var(--${target.inks[k]})` } })),
      el("b", { text: percent(answer.shares[k]) })))));
}

const goals = () => {
  if (isClass) {
    return [["", "any other answer"], ...classes.map((name, k) => [String(k), cut(name, 40)])];
  }
  return [["", "any other answer"], ["up", "a higher answer"], ["down", "a lower answer"]];
};

function wantedBy(goal, answer) {
  if (isClass) return goal === "" ? (each) => each.cls !== answer.cls : (each) => each.cls === Number(goal);
  if (goal === "up") return (each) => each.number > answer.number;
  if (goal === "down") return (each) => each.number < answer.number;
  return (each) => each.number !== answer.number;
}

function changeBox(answer) {
  const goal = byId("goal").value;
  const wanted = wantedBy(goal, answer);
  const box = el("div", { class: "change" });
  if (goal !== "" && wanted(answer)) {
    box.append(el("p", { text: `The answer is ${answerText(answer)} already.` }));
    return box;
  }
  const found = smallestChange(row, wanted, locked);
  if (!found) {
    const kept = locked.size ? " while the kept values stay" : "";
    box.append(el("p", { text: `No change of known values leads there${kept}.` }));
    return box;
  }
  box.append(
    el("p", {}, "For ", el("b", { text: answerText(found.answer) }), ", change:"),
    el("ul", { id: "smallest" }, ...[...found.steps].map(([j, step]) => el("li", { text: changeWords(row, j, step) }))),
    el("button", {
      type: "button", class: "quiet", text: "Try it",
      onclick: () => {
        for (const [j, step] of found.steps) {
          const column = columns[j];
          if (column.cuts) putValue(j, step.value < column.cuts.length ? real(column.cuts[step.value]) : nextUp(real(column.cuts[column.cuts.length - 1])));
          else putValue(j, step.value);
        }
        walkRow();
      },
    }),
  );
  return box;
}

function startWhatIf() {
  if (!asked.length) {
    byId("form").append(el("p", { class: "muted", text: "The tree has no splits: every row gets the same answer." }));
    byId("goal-line").hidden = true;
    return;
  }
  byId("goal").append(...goals().map(([to, text]) => el("option", { value: to, text })));
  byId("goal").addEventListener("input", walkRow);
  byId("form").append(...asked.map(fieldOf));
  resetRow();
  setStep.watchers.push(() => { if (!byId("panel-what-if").hidden) walkRow(); });
  byId("reset-row").addEventListener("click", () => { resetRow(); walkRow(); });
}

function resetRow() {
  const codes = heaviestCategories();
  for (const j of asked) putValue(j, startValue(columns[j], codes.get(j)));
}
