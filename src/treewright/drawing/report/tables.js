// Rules, importance, confusion matrix, columns, and how the tree was made.

// -- rules ------------------------------------------------------------------------

const PAGE = 25;
const listing = { nodes: [], order: "rows", rising: false, shown: PAGE, text: "", texts: new Map() };

const ruleColumns = () => [
  { key: "rule", name: "Rule" },
  { key: "answer", name: "Answer", value: (i) => (isClass ? label[i] : numberOf(i)) },
  isClass ? { key: "sure", name: "Confidence", value: confidence, number: true } : null,
  { key: "rows", name: "Rows", value: (i) => endedIn(i)[0], number: true },
  test ? { key: "test", name: "Test rows", value: (i) => testRows[i], number: true } : null,
  test ? { key: "held", name: isClass && story.unit === "share" ? "Right on test" : "Test error", number: true,
    value: (i) => (testRows[i] > 0 ? (story.unit === "share" ? 1 - testError[i] : testError[i]) : -1) } : null,
  { key: "depth", name: "Depth", value: (i) => depth[i], number: true },
].filter(Boolean);

const ruleText = (node) => {
  if (!listing.texts.has(node)) {
    const conditions = conditionsOf(node, !isEnd(node)).map((c) => conditionWords(c, { most: 12, longest: 60 }));
    listing.texts.set(node, inBrackets(conditions));
  }
  return listing.texts.get(node);
};

function sortRules() {
  const by = ruleColumns().find((each) => each.key === listing.order);
  let nodes = answerNodes();
  const text = listing.text.toLowerCase();
  if (text) nodes = nodes.filter((i) => `${ruleText(i).join(" and ")} ${answerWords(i)}`.toLowerCase().includes(text));
  if (by.value) {
    const key = new Map(nodes.map((i) => [i, by.value(i)]));
    const sign = listing.rising ? 1 : -1;
    nodes.sort((a, b) => sign * (key.get(a) - key.get(b)) || a - b);
  } else if (!listing.rising) nodes.reverse();
  listing.nodes = nodes;
}

function drawRules() {
  const head = byId("rules-head"), body = byId("rules-body");
  head.replaceChildren(el("tr", {}, ...ruleColumns().map((column) => {
    const on = listing.order === column.key;
    return el("th", { scope: "col", class: column.number ? "number" : null, "aria-sort": on ? (listing.rising ? "ascending" : "descending") : null },
      el("button", { type: "button", text: column.name, onclick: () => {
        listing.rising = on ? !listing.rising : column.key === "rule" || column.key === "answer";
        listing.order = column.key;
        listing.shown = PAGE;
        sortRules();
        drawRules();
        byId("rules-head").querySelectorAll("button")[ruleColumns().findIndex((c) => c.key === column.key)].focus();
      } }));
  })));
  body.replaceChildren(...listing.nodes.slice(0, listing.shown).map(ruleRow));
  const total = listing.nodes.length, shown = Math.min(listing.shown, total);
  const all = count(answerNodes().length, "rule");
  byId("rules-count").textContent = listing.text
    ? `${thousands(total)} of ${all}${shown < total ? `, ${thousands(shown)} shown` : ""}`
    : `${thousands(shown)} of ${all}`;
  byId("rules-more").hidden = shown >= total;
}

function ruleRow(node) {
  const conditions = ruleText(node);
  const [n] = endedIn(node);
  const [low, high] = intervalOf(node);
  const go = () => {
    select(node);
    byId("rules-body").querySelectorAll("tr.on").forEach((each) => each.classList.remove("on"));
    line.classList.add("on");
    byId("tree").scrollIntoView({ behavior: still.matches ? "auto" : "smooth", block: "start" });
  };
  const held = test ? (testRows[node] > 0 ? (story.unit === "share" ? percent(1 - testError[node]) : figures(asShown(testError[node]))) : "–") : "";
  const line = el("tr", {},
    el("td", { class: "rule" }, el("button", { type: "button", onclick: go, title: "Show this rule in the tree" },
      ...(conditions.length ? conditions.flatMap((text, i) => [i ? el("em", { text: " and " }) : null, el("span", { text })]) : [el("span", { text: "any row" })]))),
    el("td", { class: "said" }, el("i", { class: "swatch", style: { background: `var(--${inkOf(node)})` } }), el("span", { text: cut(answerWords(node), 60) })),
    isClass ? el("td", { class: "number", text: percent(confidence(node)), title: `95% interval ${percent(low)} to ${percent(high)}` }) : null,
    el("td", { class: "number", text: thousands(n) }),
    test ? el("td", { class: "number", text: thousands(testRows[node]) }) : null,
    test ? el("td", { class: "number", text: held }) : null,
    el("td", { class: "number", text: depth[node] }));
  return line;
}

function startRules() {
  sortRules();
  drawRules();
  byId("rules-more").addEventListener("click", () => {
    const from = listing.shown;
    listing.shown += from >= 200 ? 200 : 50;
    drawRules();
    byId("rules-body").rows[from]?.querySelector("button").focus();
  });
  let waiting = 0;
  byId("rules-search").addEventListener("input", (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      listing.text = event.target.value;
      listing.shown = PAGE;
      sortRules();
      drawRules();
    }, N > 4000 ? 300 : 0);
  });
  setStep.watchers.push(() => {
    listing.texts.clear();
    listing.shown = PAGE;
    sortRules();
    drawRules();
  });
}

// -- importance and confusion matrix ----------------------------------------------

function startImportance() {
  const box = byId("importance-bars");
  const order = columns.map((_, j) => j).filter((j) => columns[j].used)
    .sort((a, b) => real(columns[b].importance) - real(columns[a].importance) || a - b);
  const shown = order.slice(0, 20);
  const top = Math.max(...shown.map((j) => real(columns[j].importance)), 1e-12);
  const meanDrop = (j) => {
    const list = (columns[j].permuted || []).map(real);
    return list.length ? list.reduce((a, b) => a + b, 0) / list.length : null;
  };
  const most_ = Math.max(...shown.map((j) => meanDrop(j) || 0), 1e-12);
  const bar = (share, kind_) => el("span", { class: `track ${kind_}` }, el("i", { style: { width: `${Math.max(share * 100, 0)}%` } }));
  const tested = shown.some((j) => meanDrop(j) !== null);
  box.append(el("table", { class: "bars" },
    el("caption", { class: "sr", text: "Importance of the columns" }),
    el("thead", {}, el("tr", {}, el("th", { scope: "col", text: "Column" }), el("th", { scope: "col", text: "In growing" }),
      tested ? el("th", { scope: "col", text: "On test rows" }) : null)),
    el("tbody", {}, ...shown.map((j) => el("tr", {},
      el("th", { scope: "row", text: cut(columns[j].name, 60), title: columns[j].name }),
      el("td", {}, bar(real(columns[j].importance) / top, "grown"), el("b", { text: percent(real(columns[j].importance)) })),
      tested ? el("td", {}, bar((meanDrop(j) || 0) / most_, "held"), el("b", { text: riseWords(meanDrop(j)) })) : null)))));
  const more = order.length - shown.length;
  byId("importance-words").textContent =
    "In growing: the column's share of the total gain of all splits." +
    (tested ? ` On test rows: how far ${story.unit === "share" ? "the share of right answers falls" : "the error rises"} when the column is shuffled.` : "") +
    (more > 0 ? ` ${count(more, "more column")} not shown.` : "");
  if (!order.length) box.replaceChildren(el("p", { class: "muted", text: "No column is used." }));
}
function riseWords(x) {
  if (x === null) return "–";
  if (story.unit === "share") return `${x >= 0 ? "−" : "+"}${fixed(100 * Math.abs(x), 1)} points`;
  return `${x >= 0 ? "+" : "−"}${figures(Math.abs(x))}`;
}

function startMistakes() {
  if (!test?.confusion) {
    byId("mistakes").hidden = true;
    byId("importance").classList.add("alone");
    return;
  }
  const top = Math.max(...test.confusion.flat(), 1);
  const sums = test.confusion.map((line) => line.reduce((a, b) => a + b, 0));
  // Not whole numbers if rows have weights or are weighted by priors.
  const amount = (n) => (Number.isInteger(n) ? thousands(n) : figures(n));
  byId("confusion").append(el("table", { class: "confusion" },
    el("caption", { class: "sr", text: "Test rows by true class and answer" }),
    el("thead", {}, el("tr", {}, el("td", { text: "true ↓ answer →", class: "corner" }), ...classes.map((name) => el("th", { scope: "col", text: cut(name, 16), title: name })))),
    el("tbody", {}, ...test.confusion.map((line, t) => el("tr", {}, el("th", { scope: "row", text: cut(classes[t], 24), title: classes[t] }),
      ...line.map((n, a) => el("td", {
        class: t === a ? "right" : n ? "wrong" : "none", style: { "--part": String(n / top) },
        title: `${Number.isInteger(n) ? count(n, "row") : `${figures(n)} rows`} of ${amount(sums[t])} whose class is ${cut(classes[t], 40)}`,
      }, el("span", { text: amount(n) })))))),
  ));
}

// -- columns and provenance -------------------------------------------------------

function startColumns() {
  const most_ = 200;
  const words = (column) => {
    if (column.cuts) return `${count(column.labels.length, "interval")}`;
    if (column.labels) return listed(column.labels, 6, 24).slice(1, -1);
    return column.range ? `${column.range[0]} to ${column.range[2]}` : "";
  };
  byId("columns-body").append(...columns.slice(0, most_).map((column) => el("tr", { class: column.aside ? "aside" : null },
    el("th", { scope: "row", text: cut(column.name, 60), title: column.name }),
    el("td", {}, el("span", { class: `badge ${column.aside ? "none" : column.kind}`, text: column.aside ? "set aside" : column.kind })),
    el("td", { text: words(column), title: column.labels ? cut(column.labels.slice(0, 100).join(", "), 2000) : null }),
    el("td", { class: "number", text: column.n_missing === undefined ? "" : thousands(column.n_missing) }),
    el("td", { class: "number", text: column.used ? percent(real(column.importance)) : "–" }),
    el("td", { class: "why", text: column.aside || column.reason }))));
  if (columns.length > most_) byId("columns-note").textContent = `${count(columns.length - most_, "more column")} not shown.`;
}

function startMade() {
  const { made: how } = data;
  const pairs = (list) => el("dl", {}, ...list.flatMap((each) => [el("dt", { text: each.name }), el("dd", { text: each.value })]));
  byId("made-code").textContent = how.code.join("\n");
  const set = how.options.filter((each) => each.set), rest = how.options.filter((each) => !each.set);
  byId("made-options").append(
    set.length ? pairs(set) : el("p", { class: "muted", text: "Every option has its default." }),
    rest.length ? el("details", {}, el("summary", { text: `${count(rest.length, "option")} left at the default` }), pairs(rest)) : null);
  byId("made-versions").append(pairs(how.versions));
  byId("made-prints").append(pairs(how.fingerprints));
  const size_ = byId("made-size");
  if (how.pruning) {
    size_.append(el("p", { text: `Size: ${how.pruning}.` }), ...how.notes.map((text) => el("p", { class: "muted", text })));
  }
  byId("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(how.code.join("\n"));
      byId("copy").textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(byId("made-code"));
      byId("copy").textContent = "Selected";
    }
  });
}
