// Whole days and months where the clocks change, against those of Python.

import assert from "node:assert/strict";
import test from "node:test";

import {
  momentAbove,
  momentBelow,
} from "../../../src/treewright/drawing/report/scripts/moments.js";
import { read } from "./fixtures.js";

test("whole days and months begin where they do in Python", () => {
  const cases = read("moments");
  assert.ok(cases.length > 1000);
  for (const { grain, timezone, value, below, above } of cases) {
    const column = { grain, timezone };
    const said = `${grain} of ${timezone} at ${value}`;
    assert.equal(momentBelow(column, value), below, `below: ${said}`);
    assert.equal(momentAbove(column, value), above, `above: ${said}`);
  }
});
