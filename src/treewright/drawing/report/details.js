// The panel beside the tree: one node, with training and test figures side by side.

const MOST_CLASSES = 8;

function showDetails(node) {
  const box = byId("details");
  const end = isEnd(node);
  const head = el("div", { class: "node-head" },
    el("h3", { text: node === 0 ? "All rows" : end ? "Leaf" : "Group" }),
    el("span", { class: "muted", text: `node ${node}, depth ${depth[node]}` }));
  const parts = [head, conditionList(node), figuresTable(node)];
  if (!end) parts.push(...splitParts(node));
  else parts.push(endWords(node));
  parts.push(collapseText(node));
  box.replaceChildren(...parts.filter(Boolean));
}

function conditionList(node) {
  const conditions = conditionsOf(node).map((c) => conditionWords(c, { most: 12, longest: 60 }));
  if (!conditions.length) return el("p", { class: "muted", text: "No condition: every row starts here." });
  return el("ul", { class: "chips", "aria-label": "Conditions" },
    ...conditions.map((text) => el("li", { text })));
}

function figuresTable(node) {
  const lines = [];
  const add = (name, train, held, ink) => lines.push([name, train, held, ink]);
  const held = test && testRows[node] > 0;
  const none = test ? "–" : null;
  add("Rows", thousands(rows[node]), test ? thousands(testRows[node]) : null);
  add("Share of all", percent(shareOf(node)), test ? percent(testWeight[0] > 0 ? testWeight[node] / testWeight[0] : 0) : null);
  if (isClass) addClasses(node, add, held, none);
  else addNumbers(node, add, held, none);
  const table = el("table", { class: "figures" },
    el("caption", { class: "sr", text: "Figures of this node" }),
    el("thead", {}, el("tr", {},
      el("th", { scope: "col" }, el("span", { class: "sr", text: "Figure" })),
      el("th", { scope: "col", text: "Training" }),
      test ? el("th", { scope: "col", text: "Test" }) : null)),
    el("tbody", {}, ...lines.map(([name, train, other, ink]) =>
      el("tr", { class: ink ? "of-class" : null },
        el("th", { scope: "row" }, ink ? el("i", { class: "swatch", style: { background: `var(--${ink})` } }) : null,
          el("span", { text: name, title: name })),
        el("td", { text: train }),
        test ? el("td", { text: other }) : null))));
  const answer = el("p", { class: "answer" },
    el("span", { class: "muted", text: "Answer " }),
    el("b", { text: cut(answerWords(node), 200) }),
    isClass ? el("span", { text: ` ${percent(confidence(node))}` }) : null);
  const bars = !isClass ? null : held && testValue
    ? el("div", { class: "two-bars" },
        el("span", { class: "muted", text: "training" }), shareBar(node),
        el("span", { class: "muted", text: "test" }), shareBar(node, testValue))
    : shareBar(node);
  return el("div", {}, answer, bars,
    table, driftNote(node));
}

function addClasses(node, add, held, none) {
  const own = classShares(node);
  const other = held && testValue ? classShares(node, testValue) : null;
  const order = Array.from(own.keys()).sort((a, b) => own[b] - own[a] || a - b);
  const shown = order.filter((k) => own[k] > 0 || (other && other[k] > 0));
  for (const k of shown.slice(0, MOST_CLASSES)) {
    add(cut(classes[k], 40), percent(own[k]), other ? percent(other[k]) : none, target.inks[k]);
  }
  if (shown.length > MOST_CLASSES) {
    const rest = shown.slice(MOST_CLASSES);
    const sum = (of) => rest.reduce((total, k) => total + of[k], 0);
    add(count(rest.length, "other class", "other classes"), percent(sum(own)), other ? percent(sum(other)) : none, "other");
  }
  const costs = story.unit === "cost";
  const wrong = (x) => (costs ? figures(x) : percent(x));
  add(costs ? "Mean cost here" : "Wrong if answered here", wrong(risk[node]), held ? wrong(testError[node]) : none);
}

function addNumbers(node, add, held, none) {
  if (!isMedian) add("Mean", figures(mean[node]), held ? figures(testMean[node]) : none);
  add(target.errorHere, figures(asShown(risk[node])), held ? figures(asShown(testError[node])) : none);
  add("Middle half", `${figures(quartiles[0][node])} to ${figures(quartiles[2][node])}`, none);
  add("Median", figures(quartiles[1][node]), none);
}

// A warning if the test rows differ from the training rows of the node.
function driftNote(node) {
  if (!test || testRows[node] < 10) return null;
  let differs = false;
  if (isClass && testValue) {
    const p = confidence(node), q = classShares(node, testValue)[label[node]];
    const pooled = (p * rows[node] + q * testRows[node]) / (rows[node] + testRows[node]);
    const error = Math.sqrt(pooled * (1 - pooled) * (1 / rows[node] + 1 / testRows[node]));
    differs = error > 0 && Math.abs(p - q) > 2.58 * error;
  } else if (!isClass && !isMedian) {
    const error = Math.sqrt(variance[node] * (1 / rows[node] + 1 / testRows[node]));
    differs = error > 0 && Math.abs(mean[node] - testMean[node]) > 2.58 * error;
  }
  if (!differs) return null;
  return el("p", { class: "note warn", text: "The test rows differ from the training rows here by more than chance explains (at 99%)." });
}

function splitParts(node) {
  const name = cut(columns[feature[node]].name, 60);
  const list = el("ul", { class: "branches" }, ...children(node).map((c, b) =>
    el("li", {}, el("button", {
      type: "button", onclick: () => select(c, { focus: false }),
    }, el("span", { text: saysOf(node, b, 6, 60) }),
      el("span", { class: "muted", text: `${count(rows[c], "row")} · ${cut(answerWords(c), 24)}` })))));
  const out = [el("h4", {}, "Asks ", el("b", { text: name })), list];
  const facts = [`Gain ${figures(gain[node])}; impurity here ${figures(impurity[node])}.`];
  if (unproven.has(node)) facts.push("Not proven to be the best split of its column.");
  const gone = T.n_missing ? T.n_missing[node] : 0;
  const always = missingRoute[node] < 0;
  if (kind[node] !== IS_MISSING && (gone || always || columns[feature[node]].n_missing)) {
    facts.push(`A missing value ${missingWords(node)}${gone ? `; ${count(gone, "training row")} had no value` : ""}.`);
  }
  out.push(el("p", { class: "small", text: facts.join(" ") }));
  const surrogates = surrogatesOf(node);
  if (surrogates.length) {
    out.push(el("p", { class: "small muted", text: "If the value is missing, these surrogate splits are tried in this order:" }),
      el("ol", { class: "small" }, ...surrogates.map((s) =>
        el("li", { text: `${surrogateWords(s, 0, 60)} (agrees ${percent(s.agree)}; sent ${count(s.rows, "row")})` }))));
  }
  return out;
}

function endWords(node) {
  if (size[node] > 1) return el("p", { class: "small", text: "At the chosen size the tree ends here." });
  return el("p", { class: "small", text: `Why it ends here: ${T.reasons[stopReason[node]]}` });
}

function collapseText(node) {
  if (size[node] === 1 || collapsesAt[node] >= path.leaves.length) return null;
  const alpha = path.alpha[collapsesAt[node]];
  const price = alpha === null ? "at no cost" : `at α = ${general(real(alpha), 3)}`;
  return el("p", { class: "small muted", text: `Pruning collapses this node ${price}, in the tree with ${count(path.leaves[collapsesAt[node]], "leaf", "leaves")}.` });
}
