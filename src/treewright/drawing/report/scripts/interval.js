// 95% intervals.

export const Z = 1.959963984540054;

// Wilson's interval of a share p among n rows.
export function wilson(p, n) {
  const scale = 1 + Z ** 2 / n;
  const middle = (p + Z ** 2 / (2 * n)) / scale;
  const half = (Z * Math.sqrt((p * (1 - p)) / n + Z ** 2 / (4 * n * n))) / scale;
  return [p <= 0 ? 0 : Math.max(middle - half, 0), p >= 1 ? 1 : Math.min(middle + half, 1)];
}
