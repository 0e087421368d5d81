// The path of one row in sentences, as `explain` writes them in Python.

import { figures, percent, cut } from "./numbers.js";
import { THRESHOLD, STOP_HERE, ALL_BRANCHES } from "./constants.js";
import { rowsBetween } from "./distance.js";

export function makeWalk(model) {
  const {
    columns,
    size,
    kind,
    feature,
    threshold,
    children,
    isEnd,
    say,
    splitWords,
    turnAt,
    endsOf,
    isGone,
    surrogateWords,
  } = model;

  const DIVIDED = "the row goes down every branch, by weight; the largest part is followed";

  function valueWords(row, j) {
    const x = row[j];
    if (!isGone(columns[j], x)) return say(columns[j], x);
    return x === -2 ? "never seen" : "missing";
  }

  function goneWords(node, turn, value) {
    if (!turn.gone) return "";
    if (turn.surrogate) {
      const rule = splitWords(node, turn.branch, { most: 6, longest: 60 });
      return `${surrogateWords(turn.surrogate, turn.branch, 60)} stands in for it, as if ${rule}`;
    }
    if (turn.branch === STOP_HERE) return "the row stops here";
    if (turn.branch === ALL_BRANCHES) return DIVIDED;
    const known = value === "missing" ? "" : "not known here, ";
    const rule = splitWords(node, turn.branch, { missing: true, most: 6, longest: 60 });
    return `${known}it goes where missing values go, ${rule}`;
  }

  function marginWords(column, margin, share) {
    if (!Number.isFinite(margin) || column.stored === "bool") return "";
    const about = `about ${percent(share)} of rows between`
      .replace("about <", "less than ")
      .replace("about >", "more than ");
    if (!["float", "int", "text"].includes(column.stored)) return ` (${about})`;
    if (margin === 0) return " (exactly at the threshold)";
    const side = margin > 0 ? "above" : "below";
    return ` (${figures(Math.abs(margin))} ${side}, ${about})`;
  }

  // The condition that the value meets, to follow "column is value".
  function turnWords(rule, name, value) {
    const condition = rule.slice(name.length + 1);
    if (condition === `= ${value}`) return "";
    return `${condition.startsWith("in ") ? "," : ""} ${condition}`;
  }

  // The path of a row, step by step; for a divided row, of its largest part.
  function stepsOf(row) {
    const steps = [];
    const end = endsOf(row).reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    let node = 0;
    while (!isEnd(node)) {
      const turn = turnAt(node, row);
      const j = feature[node],
        column = columns[j];
      let b = turn.branch;
      const below = children(node);
      if (b === ALL_BRANCHES) b = below.findIndex((c) => c <= end && end < c + size[c]);
      const next = b === STOP_HERE ? node : below[b];
      const value = valueWords(row, j);
      const gone = goneWords(node, turn, value);
      const rule = b === STOP_HERE ? "" : splitWords(node, b, { most: 6, longest: 60 });
      let tail = "";
      if (kind[node] === THRESHOLD && !turn.gone && column.kind === "numeric") {
        tail = marginWords(
          column,
          row[j] - threshold[node],
          rowsBetween(column, row[j], threshold[node]),
        );
      }
      const name = cut(column.name, 60);
      steps.push({
        node,
        next,
        branch: b,
        sentence: `${name} is ${value}${gone ? `: ${gone}` : turnWords(rule, name, value) + tail}`,
      });
      node = next;
      if (b === STOP_HERE) break;
    }
    return steps;
  }

  return {
    valueWords,
    stepsOf,
  };
}
