// Starts the report: the model of the data, and the parts of the page over it.

import { makeModel } from "./model.js";
import { makeMoves } from "./moves.js";
import { makePage } from "./page.js";
import { makePicture } from "./picture.js";
import { startColumns, startImportance, startMade } from "./tables.js";
import { startDetails } from "./details.js";
import { startJudgement } from "./judgement.js";
import { startLegend, startStory } from "./story.js";
import { startPrint } from "./print.js";
import { startRules } from "./ruletable.js";
import { startSave } from "./save.js";
import { startSearch } from "./search.js";
import { startSize } from "./size.js";
import { startWhatIf } from "./whatif.js";
import { figures, general, number, percent } from "./numbers.js";
import { readNumber } from "./read.js";

function startTabs({ byId }, onWhatIf) {
  const tabs = [byId("tab-node"), byId("tab-what-if")];
  const show = (tab, focus) => {
    for (const each of tabs) {
      const on = each === tab;
      each.setAttribute("aria-selected", on);
      each.tabIndex = on ? 0 : -1;
      byId(each.getAttribute("aria-controls")).hidden = !on;
    }
    if (tab === tabs[1]) onWhatIf();
    if (focus) tab.focus();
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => show(tab));
    tab.addEventListener("keydown", (event) => {
      if (event.key === "ArrowRight" || event.key === "ArrowLeft") show(tabs[1 - i], true);
    });
  });
}

function startTheme({ byId }, picture) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const repaint = () => {
    picture.readInks();
    picture.redraw();
  };
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    repaint();
  });
  dark.addEventListener("change", repaint);
  matchMedia("(forced-colors: active)").addEventListener("change", repaint);
}

// Frames without an address of their own, as in notebooks, may not change it.
function writeLink(node) {
  try {
    history.replaceState(null, "", `#node=${node}`);
  } catch (error) {
    if (error.name !== "SecurityError") throw error;
  }
}

// A link such as #node=12 selects a node; selecting a node writes the link.
function startLinks(page, select) {
  const { model, byId } = page;
  let following = false;
  const follow = () => {
    const found = /^#node=(\d+)$/.exec(location.hash);
    if (!found || Number(found[1]) >= model.N) return;
    following = true;
    select(Number(found[1]));
    following = false;
    byId("tree").scrollIntoView({ block: "start" });
  };
  page.listen("selected", (node) => {
    if (!following) writeLink(node);
  });
  addEventListener("hashchange", follow);
  follow();
}

// The parts that stand for the page without scripts give way to the live ones.
function removeStatic(root) {
  for (const each of root.querySelectorAll("[data-static]")) each.remove();
  for (const each of root.querySelectorAll("[data-live]")) each.hidden = false;
}

export function start(root, data) {
  removeStatic(root);
  const model = makeModel(data),
    page = makePage(root, model);
  const picture = makePicture(page),
    moves = makeMoves(page, picture);
  const { select } = moves;
  moves.start();
  startLegend(page);
  startStory(page);
  startDetails(page, picture, select);
  const setStep = startSize(page, picture, moves);
  const whatIf = startWhatIf(page, picture, select);
  startTabs(page, () => whatIf.asked.length && whatIf.walkRow());
  startJudgement(page, select);
  const rules = startRules(page, picture, select);
  startImportance(page);
  startColumns(page);
  startMade(page);
  const search = startSearch(page, picture, select);
  startTheme(page, picture);
  const save = startSave(page, picture);
  startPrint(page, save, picture, rules);
  startLinks(page, select);
  // For developers, and for the tests.
  return {
    ...model,
    ...whatIf,
    state: page.choice,
    view: picture.view,
    cards: picture.cardOf,
    plan: picture.plan,
    draw: picture.drawNow,
    direction: picture.direction,
    ...moves,
    setStep,
    search,
    ...save,
    figures,
    general,
    number,
    percent,
    readNumber,
  };
}

window.treewright = Object.freeze(
  start(document, JSON.parse(document.getElementById("data").textContent)),
);
document.documentElement.dataset.ready = "1";
