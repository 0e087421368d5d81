// Print: the tree as one picture that fits the page, and every rule.

import { layOut } from "./layout.js";
import { count, thousands } from "./numbers.js";
import { bestDirection, openToFit } from "./fold.js";
import { pictureSize } from "./svg.js";

// CSS pixels of a printed A4 page within its margins, and the smallest letters in them:
// 12 pixels x 0.8 = 9.6 pixels = 7.2 points.
const PAPER = { width: 680, height: 540, least: 0.8 };

export function startPrint(page, save, picture, rules) {
  const { choice, model, byId } = page;
  let kept = null;

  // Opens as many nodes as fit on the paper; returns the picture.
  function paperPicture() {
    const fits = (plan) => {
      const { width, height } = pictureSize(model, plan, "");
      return width * PAPER.least <= PAPER.width && height * PAPER.least <= PAPER.height;
    };
    const direction = bestDirection(model, fits);
    openToFit(model, choice.closed, direction, fits);
    picture.setDirection(direction);
    picture.relayout(-1, false);
    picture.readInks();
    return save.svgNow("");
  }

  function before() {
    if (kept) return;
    const { direction } = picture.plan();
    const { theme } = document.documentElement.dataset;
    kept = { closed: choice.closed.slice(), direction, theme };
    document.documentElement.dataset.theme = "light"; // paper is white
    const drawn = new DOMParser().parseFromString(paperPicture(), "image/svg+xml");
    byId("paper").replaceChildren(document.importNode(drawn.documentElement, true));
    const whole = layOut(model, page.isOpen, picture.direction());
    const folded = whole.nodes.filter((node) => !model.isEnd(node) && !page.isOpen(node));
    const hidden = folded.reduce((sum, node) => sum + model.leavesBelow(node), 0);
    byId("paper-note").textContent = hidden
      ? `${thousands(hidden)} of ${thousands(model.leavesBelow(0))} leaves are folded into ${count(folded.length, "node")} here; all of them are in the list of rules.`
      : "";
    page.tell("printing");
    rules.showAll();
  }

  function after() {
    if (!kept) return;
    choice.closed.set(kept.closed);
    picture.setDirection(kept.direction);
    if (kept.theme) document.documentElement.dataset.theme = kept.theme;
    else delete document.documentElement.dataset.theme;
    kept = null;
    byId("paper").replaceChildren();
    picture.readInks();
    picture.relayout(-1, false);
    page.tell("printed");
    rules.showAgain();
  }

  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
}
