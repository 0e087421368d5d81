// Search in the tree.

import { thousands } from "./numbers.js";

export function startSearch(page, picture, select) {
  const { model, choice, byId } = page;
  const found = { nodes: [], at: -1, text: "" };
  const field = byId("search");

  function nodesThatSay(text) {
    const number = /^(?:node\s*|#)(\d+)$/.exec(text);
    if (number && Number(number[1]) < model.N) return [Number(number[1])];
    const out = [];
    for (let i = 0; i < model.N; i += model.isEnd(i) ? model.size[i] : 1) {
      const own = `${i ? model.conditionTo(i) : ""} ${model.isEnd(i) ? model.answerWords(i) : ""}`;
      if (own.toLowerCase().includes(text)) out.push(i);
    }
    return out;
  }

  function search(text) {
    const wanted = text.trim().toLowerCase();
    Object.assign(found, { text: wanted, nodes: wanted ? nodesThatSay(wanted) : [], at: -1 });
    choice.matches = new Set(found.nodes);
    sayFound();
    picture.markCards();
    picture.redraw();
  }

  function sayFound() {
    const n = found.nodes.length;
    let said =
      found.at < 0 ? `${thousands(n)} found` : `${thousands(found.at + 1)} of ${thousands(n)}`;
    if (n === 0) said = "nothing found";
    byId("search-count").textContent = found.text ? said : "";
    byId("search-next").disabled = byId("search-previous").disabled = n === 0;
  }

  function goToFound(by) {
    const n = found.nodes.length;
    if (!n) return;
    found.at = found.at < 0 && by <= 0 ? n - 1 : (found.at + by + n) % n;
    select(found.nodes[found.at]);
    sayFound();
  }

  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => search(field.value), model.N > 4000 ? 200 : 0);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      if (field.value.trim().toLowerCase() !== found.text) search(field.value);
      goToFound(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape" && field.value) {
      event.preventDefault();
      field.value = "";
      search("");
    }
  });
  byId("search-next").addEventListener("click", () => goToFound(1));
  byId("search-previous").addEventListener("click", () => goToFound(-1));
  document.addEventListener("keydown", (event) => {
    const typing = /^(input|select|textarea)$/i.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      field.focus();
    }
  });
  page.listen("sized", () => field.value && search(field.value));
  return search;
}
