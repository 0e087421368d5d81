// Data of reports that pytest wrote for these tests; see test_modules.py.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { makeModel } from "../../../src/treewright/drawing/report/scripts/model.js";

const folder = process.env.TREEWRIGHT_FIXTURES;
if (!folder) throw new Error("Run these tests with 'pytest tests/report/test_modules.py'.");

export const read = (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));

export const modelOf = (name) => makeModel(read(name));
