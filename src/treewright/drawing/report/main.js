// Start: headline, legend, search, tabs, theme, print.

function startStory() {
  byId("title").textContent = story.title;
  byId("brand").textContent = story.title;
  byId("lead").replaceChildren(...story.lead.map(([text, strong]) => (strong ? el("b", { text }) : document.createTextNode(text))));
  byId("key-figures").replaceChildren(...story.figures.map((each) => el("div", { class: "figure" },
    el("dt", { text: each.name }), el("dd", {}, el("b", { text: each.value }), el("span", { text: each.detail })))));
}

function startLegend() {
  const box = byId("legend");
  if (isClass) {
    const own = classes.map((_, k) => k).filter((k) => target.inks[k] !== "other");
    box.append(...own.map((k) => el("li", {}, el("i", { class: "swatch", style: { background: `var(--${target.inks[k]})` } }), el("span", { text: cut(classes[k], 40), title: cut(classes[k], 1000) }))));
    const others = classes.length - own.length;
    if (others) box.append(el("li", {}, el("i", { class: "swatch", style: { background: "var(--other)" } }), el("span", { text: `${others} other classes` })));
  } else {
    box.append(el("li", { class: "muted", text: "box: middle half of the rows; line: median; dot: the answer" }));
  }
}

// -- search -----------------------------------------------------------------------

const found = { nodes: [], at: -1, text: "" };

function search(text) {
  const wanted = text.trim().toLowerCase();
  found.text = wanted;
  found.nodes = [];
  found.at = -1;
  if (wanted) {
    const node = /^(?:node\s*|#)(\d+)$/.exec(wanted);
    if (node && Number(node[1]) < N) found.nodes = [Number(node[1])];
    else {
      for (let i = 0; i < N; i++) {
        if (parent[i] >= 0 && isEnd(parent[i])) {
          i = parent[i] + size[parent[i]] - 1;
          continue;
        }
        const own = `${i ? conditionTo(i) : ""} ${isEnd(i) ? answerWords(i) : ""}`;
        if (own.toLowerCase().includes(wanted)) found.nodes.push(i);
      }
    }
  }
  state.matches = new Set(found.nodes);
  sayFound();
  markCards();
  redraw();
}

function sayFound() {
  const n = found.nodes.length;
  byId("search-count").textContent = !found.text ? "" : n === 0 ? "nothing found" : found.at < 0 ? `${thousands(n)} found` : `${thousands(found.at + 1)} of ${thousands(n)}`;
  byId("search-next").disabled = byId("search-previous").disabled = n === 0;
}

function goToFound(by) {
  const n = found.nodes.length;
  if (!n) return;
  found.at = (found.at + by + n) % n;
  if (found.at < 0) found.at = n - 1;
  select(found.nodes[found.at]);
  sayFound();
}

function startSearch() {
  const field = byId("search");
  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => search(field.value), N > 4000 ? 200 : 0);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      if (field.value.trim().toLowerCase() !== found.text) search(field.value);
      goToFound(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      field.value = "";
      search("");
    }
  });
  byId("search-next").addEventListener("click", () => goToFound(1));
  byId("search-previous").addEventListener("click", () => goToFound(found.at < 0 ? 0 : -1));
  document.addEventListener("keydown", (event) => {
    const typing = /^(input|select|textarea)$/i.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      field.focus();
    }
  });
}

// -- tabs, theme, print -----------------------------------------------------------

function startTabs() {
  const tabs = [byId("tab-node"), byId("tab-what-if")];
  const show = (tab, focus) => {
    for (const each of tabs) {
      const on = each === tab;
      each.setAttribute("aria-selected", on);
      each.tabIndex = on ? 0 : -1;
      byId(each.getAttribute("aria-controls")).hidden = !on;
    }
    if (tab === tabs[1] && asked.length) walkRow();
    if (focus) tab.focus();
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => show(tab));
    tab.addEventListener("keydown", (event) => {
      if (event.key === "ArrowRight" || event.key === "ArrowLeft") show(tabs[1 - i], true);
    });
  });
}

function startTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const repaint = () => { readInks(); redraw(); };
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    repaint();
  });
  dark.addEventListener("change", repaint);
}

// In print the tree fills the page width, at the printer's resolution.
function startPrint() {
  let before = null;
  addEventListener("beforeprint", () => {
    before = { ...view };
    const width = 980;
    const k = Math.min(width / (plan.right - plan.left + 20), 1);
    const height = Math.min(plan.height * k + 40, 1200);
    document.documentElement.style.setProperty("--print-height", `${height}px`);
    Object.assign(view, { k, tall: k, x: width / 2 - ((plan.left + plan.right) / 2) * k, y: 20, width, height, print: 3 });
    readInks();
    draw(performance.now());
  });
  addEventListener("afterprint", () => {
    Object.assign(view, before, { print: 0 });
    clearCards();
    readInks();
    resized();
  });
}

startStory();
startLegend();
startView();
if (matchMedia("(min-width: 1021px)").matches) fit();
showDetails(0);
startSize();
startWhatIf();
startTabs();
startRules();
startImportance();
startMistakes();
startColumns();
startMade();
startSearch();
startTheme();
startPrint();
document.documentElement.dataset.ready = "1";

// For developers, and for the tests.
window.treewright = Object.freeze({
  data, state, view, walkRow, setStep, select, toggle, search, splitWords, conditionsOf,
  conditionWords, endsOf, answerOf, stepsOf, smallestChange, changeWords, figures, percent,
  number, general, answerNodes, inBrackets, numberWords, fields, asked, row, cards: cardOf,
  plan: () => plan, foldAll, draw: () => draw(performance.now()), fit, zoom, readNumber,
});
