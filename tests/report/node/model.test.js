// The model of a tree: independent of other models, and equal to slow definitions.

import assert from "node:assert/strict";
import test from "node:test";

import { CARD, FORMS, layOut } from "../../../src/treewright/drawing/report/scripts/layout.js";
import { bestDirection, openToFit } from "../../../src/treewright/drawing/report/scripts/fold.js";
import { rulesAsCsv } from "../../../src/treewright/drawing/report/scripts/csv.js";
import { makeStory } from "../../../src/treewright/drawing/report/scripts/story.js";
import { treeSvg } from "../../../src/treewright/drawing/report/scripts/svg.js";
import { modelOf } from "./fixtures.js";

const ALL = ["credit", "hitters", "penguins", "tennis", "divided", "stopping"];

test("two models stand side by side", () => {
  const one = modelOf("credit"),
    other = modelOf("hitters"),
    again = modelOf("credit");
  one.chooseStep(1);
  assert.equal(one.stepNow(), 1);
  assert.deepEqual([other.stepNow(), again.stepNow()], [0, 0]);
  assert.ok(one.leavesBelow(0) < again.leavesBelow(0));
  assert.equal(other.isClass, false);
});

for (const name of ALL) {
  test(`${name}: every size ends where the path says`, () => {
    const model = modelOf(name);
    model.path.leaves.forEach((leaves, step) => {
      model.chooseStep(step);
      assert.equal(model.leavesBelow(0), leaves);
      const ends = model.answerNodes().filter(model.isEnd);
      assert.equal(ends.length, leaves);
      const rows = model.answerNodes().reduce((sum, node) => sum + model.endedIn(node)[0], 0);
      if (!model.T.divide_by) assert.equal(rows, model.rows[0]);
    });
  });

  for (const direction of ["down", "right"]) {
    test(`${name}, ${direction}: no two cards touch, and parents are centred`, () => {
      const model = modelOf(name);
      const plan = layOut(model, (i) => !model.isEnd(i), direction);
      const half = FORMS[direction].breadth / 2;
      for (const level of plan.levels) {
        for (let n = 1; n < level.length; n++) {
          const gap = plan.across[level[n]] - plan.across[level[n - 1]];
          assert.ok(gap >= 2 * half + FORMS[direction].gap - 1e-9);
        }
      }
      plan.nodes.forEach((node, i) => {
        if (model.isEnd(node)) return;
        const below = model.children(node).map((c) => plan.across[plan.place[c]]);
        assert.ok(Math.abs((below[0] + below.at(-1)) / 2 - plan.across[i]) < 1e-9);
      });
    });
  }

  test(`${name}: opening stops before the picture is too large`, () => {
    const model = modelOf(name);
    const fits = ({ box }) => box.right - box.left <= 900 && box.bottom - box.top <= 600;
    const closed = new Uint8Array(model.N);
    const direction = bestDirection(model, fits);
    const opened = openToFit(model, closed, direction, fits);
    const isOpen = (i) => !model.isEnd(i) && !closed[i];
    assert.equal(layOut(model, isOpen, direction).nodes.filter(isOpen).length, opened);
    assert.ok(opened <= 1 || fits(layOut(model, isOpen, direction)));
  });

  test(`${name}: the CSV has one line per rule`, () => {
    const model = modelOf(name);
    const lines = rulesAsCsv(model).trimEnd().split("\r\n");
    assert.equal(lines.length, 1 + model.answerNodes().length);
  });

  test(`${name}: the picture is whole, and has no undefined number`, () => {
    const model = modelOf(name);
    const isOpen = (i) => !model.isEnd(i);
    const plan = layOut(model, isOpen, "down");
    const inks = new Proxy({}, { get: () => "#123456" });
    const cornerOf = (i) => [plan.across[i] - CARD.width / 2, plan.along[i]];
    const flowOf = (i) => ({ width: 2, from: [0, 0], to: [plan.across[i], plan.along[i]] });
    const look = {
      plan,
      inks,
      inkOf: () => "c0",
      scale: { low: 0, high: 1 },
      cornerOf,
      flowOf,
      isOpen,
      measure: (t) => 7 * t.length,
    };
    const svg = treeSvg(model, look, "<b>&");
    assert.ok(!/NaN|undefined|Infinity/.test(svg));
    assert.ok(svg.includes("&#60;b&#62;&#38;"));
    assert.equal(svg.split("<g>").length - 1, plan.nodes.length);
  });
}

test("the ROC curve and its area are those of the definition", () => {
  const model = modelOf("credit");
  for (let step = 0; step < model.path.leaves.length; step++) {
    model.chooseStep(step);
    for (const k of model.classes.keys()) {
      const scores = model.scoresOf(k);
      let won = 0,
        pairs = 0;
      for (const a of scores) {
        for (const b of scores) {
          pairs += a.yes * b.no;
          won += a.yes * b.no * (a.share > b.share ? 1 : a.share === b.share ? 0.5 : 0);
        }
      }
      const roc = model.rocOf(k);
      assert.ok(Math.abs(roc.area - won / pairs) < 1e-12);
      for (const limit of [0, 0.3, 0.5, 0.9, 1]) {
        const now = model.atThreshold(roc, limit);
        const yes = scores
          .filter((each) => each.share >= limit)
          .reduce((sum, each) => sum + each.yes, 0);
        assert.equal(now.yes, yes);
      }
    }
  }
});

test("calibration counts every test row once", () => {
  const model = modelOf("credit");
  const total = model.calibrationOf(0).reduce((sum, { n }) => sum + n, 0);
  assert.equal(total, model.test.n_rows);
});

test("the confusion of the whole tree is that of Python", () => {
  for (const name of ["credit", "penguins", "stopping"]) {
    const model = modelOf(name);
    assert.deepEqual(model.confusionNow(), model.test.confusion);
  }
});

test("figures by class of divided rows are left to Python", () => {
  const model = modelOf("divided");
  assert.deepEqual(model.confusionNow(), model.test.confusion);
  model.chooseStep(1);
  assert.equal(model.confusionNow(), null);
  assert.equal(model.canScore(), false);
});

test("the headline of the whole tree is that of Python", () => {
  for (const name of ALL) {
    const model = modelOf(name),
      story = makeStory(model);
    assert.deepEqual(story.figuresNow(), model.story.figures);
    const found = model.story.lead.find((piece) => piece.is === "found");
    if (found) assert.equal(story.foundWords(model.confusionNow()), found.text);
  }
});

test("warnings name tiny leaves and leaves where test rows differ", () => {
  const model = modelOf("penguins");
  const tiny = model.answerNodes().filter((node) => model.rows[node] < 5);
  const said = model.warningsNow().find(({ text }) => text.includes("fewer than 5"));
  assert.equal(said?.nodes.length ?? 0, tiny.length);
});

test("a column with a category for almost every row is said to memorise", () => {
  const model = modelOf("memory");
  assert.deepEqual(
    model.memorising().map(({ name }) => name),
    ["shop"],
  );
  assert.ok(model.warningsNow().some(({ text }) => text.startsWith("shop has 40 categories")));
});

test("the label of a branch names as many categories as fit", () => {
  const model = modelOf("credit");
  const many = [...model.size.keys()].filter((i) => model.kind[i] === 2);
  const labels = many.map((i) => model.branchCategories(i, 0)).filter((each) => each.length > 2);
  assert.ok(labels.length > 0);
  const node = many.find((i) => model.branchCategories(i, 0).length > 2);
  const { rank } = model.columns[model.feature[node]];
  const all = model.branchCategories(node, 0).toSorted((a, b) => rank.get(a) - rank.get(b));
  assert.ok(model.branchLabel(node, 0).includes(all[0]));
  assert.match(
    model.branchLabel(node, 0, () => false),
    new RegExp(`, ... ${all.length - 1} more`),
  );
  const one = model.branchLabel(node, 0, (text) => !text.includes(all[1]));
  assert.ok(one.startsWith(`${all[0]}, ... ${all.length - 1} more`));
});

test("rules share their beginning", () => {
  const model = modelOf("credit");
  assert.equal(model.sharedStart(["a", "b", "c"], ["a", "b", "d"]), 2);
  assert.equal(model.sharedStart(["a"], []), 0);
});
