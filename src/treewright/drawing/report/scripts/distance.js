// The distance between two values of a column: the share of training rows between them.

import { real } from "./arrays.js";

export function shareBelow(column, x) {
  const marks = (column.five || []).filter((mark) => mark !== null).map(real);
  if (!marks.length) return 0.5;
  let place = 0;
  while (place < marks.length && marks[place] <= x) place += 1;
  if (place === 0) return 0;
  if (place === marks.length) return [0, 0.25, 0.5, 0.75, 1][marks.length - 1];
  const low = marks[place - 1],
    high = marks[place];
  const part = Number.isFinite(high - low) ? (x - low) / (high - low) : 0.5;
  return (place - 1 + part) / 4;
}

export function rowsBetween(column, one, other) {
  if (column.kind === "ordinal") {
    return Math.min(Math.abs(one - other) / Math.max(column.labels.length - 1, 1), 1);
  }
  return Math.abs(shareBelow(column, one) - shareBelow(column, other));
}

export const median = (column) =>
  column.five && column.five[2] !== null ? real(column.five[2]) : 0;

export function nextUp(x) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x === 0 ? 0 : x);
  const bits = view.getBigInt64(0);
  view.setBigInt64(0, x >= 0 ? bits + 1n : bits - 1n);
  return view.getFloat64(0);
}

// The value below which a share of the training rows lies; the reverse of shareBelow.
export function valueAt(column, share) {
  const marks = column.five.map(real);
  const place = Math.min(Math.max(share, 0), 1) * 4;
  const low = Math.min(Math.floor(place), 3);
  return marks[low] + (marks[low + 1] - marks[low]) * (place - low);
}
