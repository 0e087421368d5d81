// Arrays of the JSON data: null is NaN, and infinities are written as text.

export const real = (x) => (x === null ? NaN : Number(x));
export const reals = (list) => Float64Array.from(list, real);

// Where the entries of each node start, from their counts; one more for the end.
export const starts = (counts, n) => {
  const out = new Int32Array(n + 1);
  if (counts) for (let i = 0; i < n; i++) out[i + 1] = out[i] + counts[i];
  return out;
};
