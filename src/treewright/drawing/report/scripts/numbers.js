// Numbers as text: the same text as in Python, as tests check.

// Round half to even, as Python writes numbers.
export function fixed(x, digits) {
  const scaled = Math.abs(x) * 10 ** digits;
  const down = Math.floor(scaled);
  if (scaled - down === 0.5 && down % 2 === 0) {
    return ((x < 0 ? -down : down) / 10 ** digits).toFixed(digits);
  }
  return x.toFixed(digits);
}

// The shortest decimal that reads back as x, in Python's form.
export function number(x) {
  if (x === Infinity || x === -Infinity) return x > 0 ? "inf" : "-inf";
  if (x === 0) return "0";
  const [digits, exponent] = x.toExponential().split("e");
  const e = Number(exponent);
  if (e < -4 || e >= 16) {
    return `${digits}e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;
  }
  if (e >= 0) return String(x);
  const negative = x < 0 ? "-" : "";
  return `${negative}0.${"0".repeat(-e - 1)}${digits.replace(/[-.]/g, "")}`;
}

// x with some significant figures, as "%.4g".
export function general(x, figures) {
  if (!Number.isFinite(x)) return x !== x ? "nan" : number(x);
  if (x === 0) return "0";
  const exact = Number(Math.abs(x).toExponential(figures + 12));
  let e = Math.floor(Math.log10(exact));
  if (10 ** (e + 1) <= exact) e += 1;
  if (10 ** e > exact) e -= 1;
  let written = x.toExponential(figures - 1);
  const scaled = Math.abs(x) * 10 ** (figures - 1 - e);
  if (scaled - Math.floor(scaled) === 0.5 && Math.floor(scaled) % 2 === 0) {
    written = `${x < 0 ? "-" : ""}${Math.floor(scaled) / 10 ** (figures - 1)}e${e}`;
  }
  const [digits, exponent] = written.split("e");
  const power = Number(exponent);
  const bare = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  if (power < -4 || power >= figures) {
    return `${bare}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  return number(Number(`${bare}e${power}`));
}
// Four figures, or all before the point with commas between thousands.
export const figures = (x) =>
  Math.abs(x) >= 1000 && Math.abs(x) < 1e15
    ? fixed(x, 0).replace(/\B(?=(\d{3})+$)/g, ",")
    : general(x, 4);

export function percent(share) {
  if (!(share > 0) || share >= 1) return share >= 1 ? "100%" : "0%";
  if (share < 0.0005) return "<0.1%";
  return share >= 0.9995 ? ">99.9%" : `${fixed(100 * share, 1)}%`;
}
export const thousands = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");
export const count = (n, one, many = `${one}s`) => `${thousands(n)} ${n === 1 ? one : many}`;
// Both ends of a name stay, because names often differ only there.
export function cut(text, longest) {
  if (longest == null || text.length <= longest) return text;
  const kept = Math.max(longest - 3, 2);
  const last = Math.floor(kept / 2);
  return `${text.slice(0, kept - last)}...${text.slice(text.length - last)}`;
}

// `rank` gives the place of each label by its rows; a shortened list names the first.
export function listed(labels, most, longest, rank = null) {
  const all = most == null || labels.length <= most + 1;
  const order = all || !rank ? labels : labels.toSorted((a, b) => rank.get(a) - rank.get(b));
  const shown = (all ? order : order.slice(0, most)).map((x) => cut(x, longest));
  const more = all ? "" : `, ... ${thousands(labels.length - most)} more`;
  return `{${shown.join(", ")}${more}}`;
}

// Text that is at most `room` wide; its middle is left out if it is longer.
export function shortened(text, room, measure) {
  if (measure(text) <= room) return text;
  let low = 1,
    high = text.length - 1;
  const kept = (n) =>
    `${text.slice(0, Math.ceil(n / 2))}…${text.slice(text.length - Math.floor(n / 2))}`;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(kept(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  return kept(low);
}
