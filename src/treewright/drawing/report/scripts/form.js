// The form for one row: a field, a slider and a lock for each column that the tree asks.

import { cut } from "./numbers.js";
import { codeOf, isNumber, readNumber } from "./read.js";
import { el, options } from "./dom.js";
import { real } from "./arrays.js";
import { shareBelow, valueAt } from "./distance.js";

const MOST_OPTIONS = 300;
const PLAIN = new Set(["float", "int", "text"]); // numbers without a unit of time
const HINTS = {
  date: "YYYY-MM-DD",
  datetime: "YYYY-MM-DD hh:mm:ss",
  duration: "2 days, 3:00:00",
};

// `changed` is called after every change of a value or a lock.
export function makeForm(page, changed) {
  const { model } = page;
  const { columns, T, weight, feature, categoryStart } = model;
  const asked = columns
    .map((_, j) => j)
    .filter((j) => columns[j].used)
    .sort((a, b) => real(columns[b].importance) - real(columns[a].importance) || a - b);
  const row = new Array(columns.length).fill(NaN);
  const fields = new Map();
  const locked = new Set(asked.filter((j) => columns[j].fixed));

  // -- reading --------------------------------------------------------------------

  // Copies the value of a field into the row; false if it cannot be read.
  function readField(j) {
    const column = columns[j],
      { input } = fields.get(j);
    const listed = input.tagName === "SELECT";
    if (isNumber(column)) {
      const chosen = input.value === "" ? NaN : Number(input.value);
      const x = listed ? chosen : readNumber(column, input.value);
      if (x === null) return false;
      row[j] = column.cuts ? codeOf(column, x) : x;
    } else if (listed) row[j] = Number(input.value);
    else if (input.value === "") row[j] = -1;
    else row[j] = column.labels.includes(input.value) ? column.labels.indexOf(input.value) : -2;
    return true;
  }

  // Reads all fields; returns the columns whose text cannot be read.
  const readRow = () =>
    asked.filter((j) => {
      const fine = readField(j);
      fields.get(j).input.setAttribute("aria-invalid", !fine);
      return !fine;
    });

  // -- starting values --------------------------------------------------------------

  // The categories of each column on the path of the heaviest branches.
  function heaviestCategories() {
    const found = new Map();
    for (let node = 0; model.size[node] > 1;) {
      const below = model.children(node);
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

  function startValue(column, codes) {
    if (!isNumber(column)) return column.common ?? codes?.[0] ?? 0;
    if (column.five && column.five[2] !== null) {
      const x = real(column.five[2]);
      if (column.stored === "int" || column.stored === "bool") return Math.floor(x);
      return PLAIN.has(column.stored) ? roundedFor(column, x) : x;
    }
    return column.cuts?.length ? real(column.cuts[column.cuts.length >> 1]) : NaN;
  }

  function reset() {
    const codes = heaviestCategories();
    for (const j of asked) put(j, startValue(columns[j], codes.get(j)));
  }

  // -- fields -----------------------------------------------------------------------

  function inputOf(column, id) {
    if (column.stored === "bool" && isNumber(column)) {
      return options(id, [
        ["", "missing"],
        ["0", "False"],
        ["1", "True"],
      ]);
    }
    if (isNumber(column)) return numberInput(column, id);
    if (column.labels.length <= MOST_OPTIONS) {
      const named = column.labels.map((text, c) => [String(c), cut(text, 80)]);
      return options(id, [...named, ["-1", "(missing)"], ["-2", "(an unseen category)"]]);
    }
    return el("input", {
      id,
      type: "text",
      list: `${id}-list`,
      autocomplete: "off",
      placeholder: "missing",
    });
  }

  function numberInput(column, id) {
    const hint = HINTS[column.stored];
    const range = column.range
      ? `Training rows: ${column.range[0]} to ${column.range[2]}, median ${column.range[1]}. `
      : "";
    return el("input", {
      id,
      type: "text",
      inputmode: hint ? "text" : "decimal",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: hint ? `${hint}, or missing` : "missing",
      title: `${range}Empty means missing.`,
    });
  }

  // A slider over the distribution: equal steps pass equal shares of the training rows.
  function sliderOf(j, input) {
    const column = columns[j];
    const five = (column.five || []).map(real);
    const plain = column.kind === "numeric" && PLAIN.has(column.stored);
    if (!plain || !five.every(Number.isFinite) || five[0] === five[4]) return null;
    const slider = el("input", {
      type: "range",
      min: 0,
      max: 100,
      step: 0.5,
      class: "spread",
      "aria-label": `${cut(column.name, 60)}, by share of rows`,
      title: "Equal steps pass equal shares of the training rows; marks: quartiles",
    });
    slider.addEventListener("input", () => {
      put(j, roundedFor(column, valueAt(column, slider.value / 100)));
      changed();
    });
    input.addEventListener("input", () => moveSlider(j));
    return slider;
  }

  // A value with as many digits as the spread of its column deserves.
  function roundedFor(column, x) {
    const spread =
      real(column.five[3]) - real(column.five[1]) || real(column.five[4]) - real(column.five[0]);
    if (column.stored === "int") return Math.round(x);
    const digits = Math.max(0, 2 - Math.floor(Math.log10(spread)));
    return !(digits <= 15) ? x : Number(x.toFixed(digits));
  }

  function moveSlider(j) {
    const { slider, input } = fields.get(j);
    if (!slider) return;
    const x = readNumber(columns[j], input.value);
    const share = x === null || x !== x ? 0.5 : shareBelow(columns[j], x);
    slider.value = 100 * share;
    slider.setAttribute("aria-valuetext", input.value || "missing");
  }

  function lockOf(j) {
    const name = cut(columns[j].name, 60);
    const fixed = Boolean(columns[j].fixed);
    const lock = el("button", {
      type: "button",
      class: "lock",
      "aria-pressed": String(locked.has(j)),
      "aria-label": `Keep ${name}`,
      title: fixed
        ? "The author of the report marked this column: it cannot change"
        : "Keep this value in the smallest change",
      text: fixed ? "fixed" : "keep",
      disabled: fixed,
      onclick: () => {
        if (locked.has(j)) locked.delete(j);
        else locked.add(j);
        lock.setAttribute("aria-pressed", locked.has(j));
        changed();
      },
    });
    return lock;
  }

  function fieldOf(j) {
    const column = columns[j],
      id = `field-${j}`;
    const input = inputOf(column, id),
      slider = sliderOf(j, input);
    fields.set(j, { input, slider });
    input.addEventListener("input", changed);
    const line = el(
      "div",
      { class: "field" },
      el("label", { for: id, text: cut(column.name, 60), title: column.name }),
      input,
      lockOf(j),
      slider,
    );
    if (input.hasAttribute("list")) {
      const known = column.labels.slice(0, 2000).map((value) => el("option", { value }));
      line.append(el("datalist", { id: `${id}-list` }, ...known));
    }
    return line;
  }

  // Writes a value into a field.
  function put(j, x) {
    const column = columns[j],
      { input } = fields.get(j);
    if (input.tagName === "SELECT")
      input.value = x !== x ? (isNumber(column) ? "" : "-1") : String(x);
    else if (!isNumber(column)) input.value = x >= 0 ? column.labels[x] : "";
    else if (x !== x) input.value = "";
    else if (column.kind !== "numeric")
      input.value = model.numberWords({ ...column, atWords: new Map() }, x);
    else input.value = model.numberWords(column, x);
    moveSlider(j);
  }

  return { asked, row, fields, locked, readRow, reset, put, fieldOf };
}
