// One tree and everything that can be said about it. Several models can stand side by
// side: nothing is shared between them.

import { makeAnswers } from "./answers.js";
import { makeChange } from "./change.js";
import { makeConditions } from "./conditions.js";
import { makeQuality } from "./quality.js";
import { makeRoute } from "./route.js";
import { makeRules } from "./rules.js";
import { makeShape } from "./shape.js";
import { makeWalk } from "./walk.js";
import { makeWords } from "./words.js";

const PARTS = [
  makeWords,
  makeRoute,
  makeConditions,
  makeAnswers,
  makeWalk,
  makeChange,
  makeRules,
  makeQuality,
];

// The model of the data that Python wrote; contract.json describes these data.
export function makeModel(data) {
  const model = makeShape(data);
  for (const part of PARTS) {
    Object.assign(model, part(model));
  }
  return model;
}
