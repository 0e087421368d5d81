// Functions that need no tree.

import assert from "node:assert/strict";
import test from "node:test";

import {
  count,
  cut,
  figures,
  listed,
  number,
  percent,
  shortened,
} from "../../../src/treewright/drawing/report/scripts/numbers.js";
import {
  durationWords,
  momentWords,
  readDuration,
  readMoment,
} from "../../../src/treewright/drawing/report/scripts/moments.js";
import {
  nextUp,
  shareBelow,
  valueAt,
} from "../../../src/treewright/drawing/report/scripts/distance.js";
import { safeText, toCsv } from "../../../src/treewright/drawing/report/scripts/csv.js";
import { codeOf, readNumber } from "../../../src/treewright/drawing/report/scripts/read.js";
import { niceTicks } from "../../../src/treewright/drawing/report/scripts/chart.js";
import { real, reals, starts } from "../../../src/treewright/drawing/report/scripts/arrays.js";
import { wilson } from "../../../src/treewright/drawing/report/scripts/interval.js";
import { Frontier } from "../../../src/treewright/drawing/report/scripts/frontier.js";

test("numbers are rounded half to even, as in Python", () => {
  assert.equal(figures(1000.5), "1,000");
  assert.equal(figures(1001.5), "1,002");
  assert.equal(percent(0.0625), "6.2%");
  assert.equal(number(0.1 + 0.2), "0.30000000000000004");
  assert.equal(number(1e16), "1e+16");
});

test("counts have their noun, texts are cut, lists are shortened", () => {
  assert.equal(count(1, "leaf", "leaves"), "1 leaf");
  assert.equal(count(1234, "leaf", "leaves"), "1,234 leaves");
  assert.equal(cut("abcdefgh", 6), "ab...h");
  assert.equal(listed(["a", "b", "c", "d"], 2, 9), "{a, b, ... 2 more}");
});

test("moments and durations read back as they are written", () => {
  for (const us of [0, 86_400e6, 1_600_000_000_123_456, -1e6]) {
    assert.equal(readMoment(momentWords(us, ""), ""), us);
    assert.equal(readDuration(durationWords(us)) ?? us, us);
  }
  assert.equal(readMoment("2024-02-30", ""), null);
  assert.equal(readMoment("2024-07-01 12:00", "Europe/Berlin"), Date.UTC(2024, 6, 1, 10) * 1000);
});

test("a typed number is read, a word is not", () => {
  const plain = { stored: "float" };
  assert.equal(readNumber(plain, " 1.5e2 "), 150);
  assert.ok(Number.isNaN(readNumber(plain, "")));
  assert.equal(readNumber(plain, "twelve"), null);
  assert.equal(readNumber({ stored: "float", float32: true }, "0.1"), Math.fround(0.1));
  assert.equal(readNumber({ stored: "bool" }, "True"), 1);
  assert.deepEqual(
    [1, 2, 2.5, 9].map((x) => codeOf({ cuts: [2, 5] }, x)),
    [0, 0, 1, 2],
  );
});

test("the value at a share is the reverse of the share below a value", () => {
  const column = { five: [0, 1, 10, 100, 1000] };
  for (const share of [0, 0.1, 0.25, 0.5, 0.6, 0.99]) {
    assert.ok(Math.abs(shareBelow(column, valueAt(column, share)) - share) < 1e-12);
  }
});

test("the next number is the smallest one above", () => {
  assert.equal(nextUp(1), 1 + Number.EPSILON);
  assert.equal(nextUp(0), Number.MIN_VALUE);
  assert.ok(nextUp(-1) > -1);
});

test("a cell that a spreadsheet would run is made text", () => {
  for (const start of ["=", "+", "-", "@", "\t", "\r", "\0"]) {
    assert.equal(safeText(`${start}1+1`), `'${start}1+1`);
  }
  assert.equal(safeText("a=1"), "a=1");
  const written = toCsv([["=x", -1.5, 'say "a", b', NaN]]);
  assert.equal(written, `'=x,-1.5,"say ""a"", b",\r\n`);
});

test("ticks are round and inside", () => {
  assert.deepEqual(niceTicks(0, 1), [0, 0.25, 0.5, 0.75, 1]);
  assert.ok(niceTicks(3, 17).every((x) => x >= 3 && x <= 17));
});

test("null is NaN, infinities are text", () => {
  assert.ok(Number.isNaN(real(null)));
  assert.deepEqual([...reals(["-Infinity", 2])], [-Infinity, 2]);
  assert.deepEqual([...starts([2, 0, 1], 3)], [0, 2, 2, 3]);
});

test("Wilson's interval of 8 of 10", () => {
  // (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n) with z = 1.959963984540054
  const [low, high] = wilson(0.8, 10);
  assert.ok(Math.abs(low - 0.49016247153664183) < 1e-12);
  assert.ok(Math.abs(high - 0.9433178485456247) < 1e-12);
  assert.deepEqual([wilson(0, 5)[0], wilson(1, 5)[1]], [0, 1]);
});

test("the frontier gives the fewest changes first, then the least cost", () => {
  const frontier = new Frontier();
  const item = (n, cost) => ({ steps: new Map(Array.from({ length: n }, (_, i) => [i, 0])), cost });
  for (const each of [item(2, 0.1), item(1, 0.9), item(1, 0.2), item(0, 0)]) frontier.push(each);
  const order = [0, 1, 2, 3].map(() => frontier.pop()).map(({ steps, cost }) => [steps.size, cost]);
  assert.deepEqual(order, [
    [0, 0],
    [1, 0.2],
    [1, 0.9],
    [2, 0.1],
  ]);
});

test("a long name loses its middle, so that endings stay apart", () => {
  const wide = (text) => text.length;
  assert.equal(shortened("capital_gain", 20, wide), "capital_gain");
  assert.notEqual(shortened("capital_gain", 9, wide), shortened("capital_loss", 9, wide));
  assert.ok(shortened("capital_gain", 9, wide).length <= 9);
});
