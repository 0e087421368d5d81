// What if: the answer for one row, its path down the tree, and its smallest change.

import { count, cut, figures, percent } from "./numbers.js";
import { el } from "./dom.js";
import { makeForm } from "./form.js";
import { nextUp } from "./distance.js";
import { real } from "./arrays.js";

const KINDS = {
  date: "a date such as 2024-01-31",
  datetime: "a moment such as 2024-01-31 12:30",
  duration: "a duration such as 2 days, 3:00:00",
  bool: "True or False",
};

export function startWhatIf(page, picture, select) {
  const { model, choice, byId } = page;
  const { columns, isClass, classes, target, quartiles } = model;
  const form = makeForm(page, () => walkRow());
  const { asked, row, fields, locked } = form;

  function unreadWords(j) {
    const { name, stored } = columns[j];
    const typed = cut(fields.get(j).input.value, 40);
    return `${cut(name, 60)}: "${typed}" cannot be read as ${KINDS[stored] || "a number"}. Leave it empty if it is missing.`;
  }

  function walkRow() {
    const bad = form.readRow();
    if (bad.length) {
      byId("walked").replaceChildren(
        ...bad.map((j) => el("p", { class: "note warn", text: unreadWords(j) })),
      );
      byId("changed").replaceChildren();
      byId("row-path").replaceChildren();
      return;
    }
    const ends = model.endsOf(row),
      answer = model.answerOf(ends);
    choice.highlighted = new Set(ends.flatMap(([node]) => model.nodesTo(node)));
    picture.markCards();
    picture.redraw();
    byId("walked").replaceChildren(answerBox(answer, ends));
    byId("changed").replaceChildren(changeBox(answer));
    byId("row-path").replaceChildren(...pathParts(ends));
  }

  function pathParts(ends) {
    const taken = model.stepsOf(row);
    const last = taken.length ? taken[taken.length - 1].next : 0;
    const step = ({ sentence, next }) =>
      el(
        "li",
        {},
        el("button", {
          type: "button",
          text: sentence,
          onclick: () => select(next, { highlight: false }),
        }),
      );
    const end =
      ends.length > 1
        ? `The row is divided over ${count(ends.length, "end")}.`
        : `It ends in node ${last}, with ${count(model.rows[last], "training row")}.`;
    return [
      el("h3", { text: "Path of the row" }),
      el("ol", { class: "row-path" }, ...taken.map(step)),
      el("p", { class: "small muted", text: end }),
    ];
  }

  function answerBox(answer, ends) {
    const head = el(
      "p",
      { class: "answer big", id: "what-if-answer" },
      el("span", { class: "muted", text: `${cut(target.name, 40)} ` }),
      el("b", { text: model.answerText(answer) }),
    );
    if (!isClass) {
      const [low, high] = [quartiles[0][ends[0][0]], quartiles[2][ends[0][0]]].map(figures);
      const more = ends.length > 1 ? "" : `half of such rows lie between ${low} and ${high}`;
      return el("div", { class: "result" }, head, el("p", { class: "small muted", text: more }));
    }
    const order = Array.from(answer.shares.keys()).sort(
      (a, b) => answer.shares[b] - answer.shares[a] || a - b,
    );
    const shown = order.slice(0, 5).filter((k) => answer.shares[k] > 0);
    return el(
      "div",
      { class: "result" },
      head,
      el("ul", { class: "shares" }, ...shown.map((k) => shareLine(k, answer.shares[k]))),
    );
  }

  function shareLine(k, share) {
    const bar = el("i", {
      style: { width: `${100 * share}%`, background: `var(--${target.inks[k]})` },
    });
    return el(
      "li",
      {},
      el("span", { text: cut(classes[k], 30) }),
      el("span", { class: "track" }, bar),
      el("b", { text: percent(share) }),
    );
  }

  // -- the smallest change ----------------------------------------------------------

  const goals = () =>
    isClass
      ? [["", "any other answer"], ...classes.map((name, k) => [String(k), cut(name, 40)])]
      : [
          ["", "any other answer"],
          ["up", "a higher answer"],
          ["down", "a lower answer"],
        ];

  function wantedBy(goal, answer) {
    if (isClass && goal !== "") return (each) => each.cls === Number(goal);
    if (isClass) return (each) => each.cls !== answer.cls;
    if (goal === "up") return (each) => each.number > answer.number;
    if (goal === "down") return (each) => each.number < answer.number;
    return (each) => each.number !== answer.number;
  }

  function changeBox(answer) {
    const goal = byId("goal").value;
    const wanted = wantedBy(goal, answer);
    const box = el("div", { class: "change" });
    const say = (text) => box.append(el("p", { text }));
    if (goal !== "" && wanted(answer)) {
      say(`The answer is ${model.answerText(answer)} already.`);
      return box;
    }
    const found = model.smallestChange(row, wanted, locked);
    if (!found) {
      say(
        `No change of known values leads there${locked.size ? " while the kept values stay" : ""}.`,
      );
      return box;
    }
    const changes = [...found.steps].map(([j, step]) =>
      el("li", { text: model.changeWords(row, j, step) }),
    );
    box.append(
      el("p", {}, "For ", el("b", { text: model.answerText(found.answer) }), ", change:"),
      el("ul", { id: "smallest" }, ...changes),
      el("button", {
        type: "button",
        class: "quiet",
        text: "Try it",
        onclick: () => tryIt(found.steps),
      }),
    );
    return box;
  }

  function tryIt(steps) {
    for (const [j, { value }] of steps) {
      const { cuts } = columns[j];
      if (!cuts) form.put(j, value);
      else
        form.put(j, value < cuts.length ? real(cuts[value]) : nextUp(real(cuts[cuts.length - 1])));
    }
    walkRow();
  }

  function start() {
    if (!asked.length) {
      const text = "The tree has no splits: every row gets the same answer.";
      byId("form").append(el("p", { class: "muted", text }));
      byId("goal-line").hidden = true;
      return;
    }
    byId("goal").append(...goals().map(([value, text]) => el("option", { value, text })));
    byId("goal").addEventListener("input", walkRow);
    byId("form").append(...asked.map(form.fieldOf));
    form.reset();
    page.listen("sized", () => !byId("panel-what-if").hidden && walkRow());
    byId("reset-row").addEventListener("click", () => {
      form.reset();
      walkRow();
    });
  }

  start();
  return { walkRow, ...form };
}
