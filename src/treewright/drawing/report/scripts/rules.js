// Rules as sentences, and their shared beginnings.

import { cut, percent } from "./numbers.js";

const MOST = 12,
  LONGEST = 60;

export function makeRules(model) {
  let texts = new Map(); // by node; conditions depend on whether rows stop there

  // The conditions of a rule as text, one per column.
  function ruleParts(node) {
    const key = model.isEnd(node) ? node : -1 - node;
    if (!texts.has(key)) {
      if (texts.size > 50_000) texts = new Map();
      const found = model.conditionsOf(node, !model.isEnd(node) && model.stopsHere.has(node));
      const said = found.map((c) => model.conditionWords(c, { most: MOST, longest: LONGEST }));
      texts.set(key, model.inBrackets(said));
    }
    return texts.get(key);
  }

  // As `Rule.text` in Python.
  function ruleSentence(node) {
    const conditions = ruleParts(node).join(" AND ") || "any row";
    const answer = model.isClass
      ? cut(model.classes[model.label[node]], LONGEST)
      : model.answerNumber(model.numberOf(node));
    return `IF ${conditions} THEN ${cut(model.target.name, LONGEST)} = ${answer}`;
  }

  // How many conditions at the start of a list are those of the list before it.
  function sharedStart(parts, before) {
    let n = 0;
    while (n < parts.length && n < before.length && parts[n] === before[n]) n += 1;
    return n;
  }

  // The interval of an answer as text; empty if there is none.
  function intervalWords(node) {
    const [low, high] = model.intervalOf(node);
    if (low !== low) return "";
    const words = model.isClass ? percent : model.answerNumber;
    return `${words(low)} to ${words(high)}`;
  }

  return { ruleParts, ruleSentence, sharedStart, intervalWords };
}
