// The positions of the nodes in the picture: a parent is centred above its children,
// nodes of one depth are side by side, nothing overlaps. Each finished subtree is
// described by its outlines, the leftmost and rightmost edge on every level; neighbours
// are pushed apart until these do not touch. The time is linear in the number of nodes.

const CARD = { width: 152, height: 74, gap: 16, apart: 28, rise: 64 };
const LEVEL = CARD.height + CARD.rise;

// Centres of the shown nodes, given the index of each one's parent, -1 for the root.
function tidy(above) {
  const n = above.length, half = CARD.width / 2;
  const shift = new Float64Array(n);
  const left = new Array(n), right = new Array(n);
  const below = Array.from({ length: n }, () => []);
  for (let i = 1; i < n; i++) below[above[i]].push(i);
  for (let i = n - 1; i >= 0; i--) {
    if (!below[i].length) {
      left[i] = { edges: [-half], moved: 0 };
      right[i] = { edges: [half], moved: 0 };
      continue;
    }
    const places = [0];
    let [first, ...rest] = below[i];
    let l = left[first], r = right[first];
    for (const c of rest) {
      const place = gapBetween(r, left[c]);
      places.push(place);
      left[c].moved += place;
      right[c].moved += place;
      l = covered(left[c], l);
      r = covered(r, right[c]);
    }
    const middle = (places[0] + places[places.length - 1]) / 2;
    below[i].forEach((c, b) => { shift[c] = places[b] - middle; });
    below[i].forEach((c) => { left[c] = right[c] = null; });
    l.moved -= middle;
    r.moved -= middle;
    l.edges.push(-half - l.moved);
    r.edges.push(half - r.moved);
    left[i] = l;
    right[i] = r;
  }
  const x = new Float64Array(n);
  for (let i = 1; i < n; i++) x[i] = x[above[i]] + shift[i];
  return x;
}

// The distance of a subtree from the outline on its left; the deepest edge is first.
function gapBetween(r, l) {
  let place = -Infinity;
  const levels = Math.min(r.edges.length, l.edges.length);
  for (let level = 0; level < levels; level++) {
    const a = r.edges[r.edges.length - 1 - level] + r.moved;
    const b = l.edges[l.edges.length - 1 - level] + l.moved;
    place = Math.max(place, a - b + (level ? CARD.apart : CARD.gap));
  }
  return place;
}

// `other` down to its last level, `one` below; the shorter is written into the longer.
function covered(one, other) {
  if (other.edges.length >= one.edges.length) return other;
  const by = other.moved - one.moved;
  const from = one.edges.length - other.edges.length;
  for (let i = 0; i < other.edges.length; i++) one.edges[from + i] = other.edges[i] + by;
  return one;
}

// The nodes that are shown, in preorder, with their positions, and level by level.
function layOut() {
  const nodes = [], above = [], place = new Int32Array(N).fill(-1);
  for (let i = 0; i < N; ) {
    place[i] = nodes.length;
    nodes.push(i);
    above.push(i ? place[parent[i]] : -1);
    i += isOpen(i) ? 1 : size[i];
  }
  const x = tidy(above);
  const levels = [];
  let left = Infinity, right = -Infinity;
  nodes.forEach((node, i) => {
    (levels[depth[node]] ||= []).push(i);
    left = Math.min(left, x[i] - CARD.width / 2);
    right = Math.max(right, x[i] + CARD.width / 2);
  });
  return { nodes, above, place, x, levels, left, right, height: levels.length * LEVEL - CARD.rise };
}
