// Importance, columns, findings about the table, and how the tree was made.

import { copyText, el } from "./dom.js";
import { count, cut, figures, fixed, listed, percent, thousands } from "./numbers.js";
import { real } from "./arrays.js";

const MOST_BARS = 20,
  MOST_COLUMNS = 200;

export function startImportance({ model, byId }) {
  const { columns, story } = model;
  const box = byId("importance-bars");
  const order = columns
    .map((_, j) => j)
    .filter((j) => columns[j].used)
    .sort((a, b) => real(columns[b].importance) - real(columns[a].importance) || a - b);
  if (!order.length) {
    box.replaceChildren(el("p", { class: "muted", text: "No column is used." }));
    return;
  }
  const shown = order.slice(0, MOST_BARS);
  const top = Math.max(...shown.map((j) => real(columns[j].importance)), 1e-12);
  const drops = new Map(shown.map((j) => [j, meanOf(columns[j].permuted)]));
  const worst = Math.max(...[...drops.values()].map((x) => x || 0), 1e-12);
  const tested = [...drops.values()].some((x) => x !== null);
  const bar = (share, of) =>
    el(
      "span",
      { class: `track ${of}`, "aria-hidden": "true" },
      el("i", { style: { width: `${Math.max(share * 100, 0)}%` } }),
    );
  const line = (j) =>
    el(
      "tr",
      {},
      el("th", { scope: "row", text: cut(columns[j].name, 60), title: columns[j].name }),
      el(
        "td",
        { "data-name": "In growing" },
        bar(real(columns[j].importance) / top, "grown"),
        el("b", { text: percent(real(columns[j].importance)) }),
      ),
      tested
        ? el(
            "td",
            { "data-name": "On test rows" },
            bar((drops.get(j) || 0) / worst, "held"),
            el("b", { text: riseWords(drops.get(j), story.unit) }),
          )
        : null,
    );
  box.replaceChildren(
    el(
      "table",
      { class: "bars lines" },
      el("caption", { class: "sr", text: "Importance of the columns" }),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col", text: "Column" }),
          el("th", { scope: "col", text: "In growing" }),
          tested ? el("th", { scope: "col", text: "On test rows" }) : null,
        ),
      ),
      el("tbody", {}, ...shown.map(line)),
    ),
  );
  const error = story.unit === "root" ? "the RMSE" : "the error";
  const falls = story.unit === "share" ? "the share of right answers falls" : `${error} rises`;
  const more = order.length - shown.length;
  byId("importance-words").textContent =
    "In growing: the column's share of the total gain of all splits." +
    (tested ? ` On test rows: how far ${falls} when the column is shuffled.` : "") +
    (more > 0 ? ` ${count(more, "more column")} not shown.` : "");
}

function meanOf(permuted) {
  const list = (permuted || []).map(real);
  return list.length ? list.reduce((a, b) => a + b, 0) / list.length : null;
}

function riseWords(x, unit) {
  if (x === null) return "–";
  if (unit === "share") return `${x >= 0 ? "−" : "+"}${fixed(100 * Math.abs(x), 1)} points`;
  return `${x >= 0 ? "+" : "−"}${figures(Math.abs(x))}`;
}

export function startColumns({ model, byId }) {
  const { columns } = model;
  const words = (column) => {
    if (column.cuts) return count(column.labels.length, "interval");
    if (column.labels) return listed(column.labels, 6, 24, column.rank).slice(1, -1);
    return column.range ? `${column.range[0]} to ${column.range[2]}` : "";
  };
  const line = (column) =>
    el(
      "tr",
      { class: column.aside ? "aside" : null },
      el("th", { scope: "row", text: cut(column.name, 60), title: column.name }),
      el(
        "td",
        { "data-name": "Kind" },
        el("span", { class: "badge", text: column.aside ? "set aside" : column.kind }),
      ),
      el("td", {
        "data-name": "Values",
        text: words(column),
        title: column.labels ? cut(column.labels.slice(0, 100).join(", "), 2000) : null,
      }),
      el("td", {
        class: "number",
        "data-name": "Missing",
        text: column.n_missing === undefined ? "–" : thousands(column.n_missing),
      }),
      el("td", {
        class: "number",
        "data-name": "Importance",
        text: column.used ? percent(real(column.importance)) : "–",
      }),
      el("td", { class: "why", "data-name": "Why", text: column.aside || column.reason }),
    );
  byId("columns-body").replaceChildren(...columns.slice(0, MOST_COLUMNS).map(line));
  const more = columns.length - MOST_COLUMNS;
  if (more > 0) byId("columns-note").textContent = `${count(more, "more column")} not shown.`;
}

export function startMade({ model, byId }) {
  const { made } = model.data;
  const pairs = (list) =>
    el(
      "dl",
      {},
      ...list.flatMap((each) => [el("dt", { text: each.name }), el("dd", { text: each.value })]),
    );
  byId("made-code").textContent = made.code.join("\n");
  const set = made.options.filter((each) => each.set),
    rest = made.options.filter((each) => !each.set);
  byId("made-options").append(
    set.length ? pairs(set) : el("p", { class: "muted", text: "Every option has its default." }),
    rest.length
      ? el(
          "details",
          {},
          el("summary", { text: `${count(rest.length, "option")} left at the default` }),
          pairs(rest),
        )
      : "",
  );
  byId("made-versions").append(pairs(made.versions));
  byId("made-prints").append(pairs(made.fingerprints));
  if (made.pruning) {
    const notes = made.notes.map((text) => el("p", { class: "muted", text }));
    byId("made-size").append(el("p", { text: `Size: ${made.pruning}.` }), ...notes);
  }
  byId("copy").addEventListener("click", (event) =>
    copyText(made.code.join("\n"), event.target, byId("made-code")),
  );
}
