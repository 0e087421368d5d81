// Reads what a person typed as a value of a column.

import { MOMENTS, readDuration, readMoment } from "./moments.js";
import { real } from "./arrays.js";

export const isNumber = (column) => column.kind === "numeric" || Boolean(column.cuts);

// Reads a number of the column; NaN if the text is empty, null if it cannot be read.
export function readNumber(column, text) {
  const plain = text.trim();
  if (!plain) return NaN;
  if (MOMENTS.has(column.stored)) return readMoment(plain, column.timezone);
  if (column.stored === "duration") return readDuration(plain);
  if (column.stored === "bool" && /^(true|false)$/i.test(plain)) return /^t/i.test(plain) ? 1 : 0;
  if (/^[+-]?inf(inity)?$/i.test(plain)) return plain[0] === "-" ? -Infinity : Infinity;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return null;
  return column.float32 ? Math.fround(Number(plain)) : Number(plain);
}

// The interval that contains a number; each interval includes its upper cut.
export function codeOf(column, x) {
  if (x !== x) return -1;
  let low = 0,
    high = column.cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (real(column.cuts[middle]) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}
