// The positions of the nodes in the picture: a parent is centred beside its children,
// nodes of one depth form a line, nothing overlaps. Each finished subtree is described
// by its outlines, the first and last edge on every level; neighbours are pushed apart
// until these do not touch. The time is linear in the number of nodes.
//
// The tree grows along the axis "depth"; the nodes of one depth are spread over the axis
// "breadth". A tree that grows down has its breadth in x, one that grows right in y.

export const CARD = { width: 160, height: 72 };

// Breadth of a card, gaps between siblings and cousins, distance of levels, label space.
export const FORMS = {
  down: { breadth: CARD.width, gap: 14, apart: 26, level: CARD.height + 62, label: 20 },
  right: { breadth: CARD.height, gap: 25, apart: 34, level: CARD.width + 62, label: 20 },
};

// Centres of the shown nodes, given the index of each one's parent, -1 for the root.
export function tidy(above, form) {
  const n = above.length,
    half = form.breadth / 2;
  const shift = new Float64Array(n);
  const first = new Array(n),
    last = new Array(n);
  const below = Array.from({ length: n }, () => []);
  for (let i = 1; i < n; i++) below[above[i]].push(i);
  for (let i = n - 1; i >= 0; i--) {
    if (!below[i].length) {
      first[i] = { edges: [-half], moved: 0 };
      last[i] = { edges: [half], moved: 0 };
      continue;
    }
    const places = [0];
    const [eldest, ...rest] = below[i];
    let f = first[eldest],
      l = last[eldest];
    for (const c of rest) {
      const place = gapBetween(l, first[c], form);
      places.push(place);
      first[c].moved += place;
      last[c].moved += place;
      f = covered(first[c], f);
      l = covered(l, last[c]);
    }
    const middle = (places[0] + places[places.length - 1]) / 2;
    below[i].forEach((c, b) => {
      shift[c] = places[b] - middle;
      first[c] = last[c] = null;
    });
    f.moved -= middle;
    l.moved -= middle;
    f.edges.push(-half - f.moved);
    l.edges.push(half - l.moved);
    first[i] = f;
    last[i] = l;
  }
  const at = new Float64Array(n);
  for (let i = 1; i < n; i++) at[i] = at[above[i]] + shift[i];
  return at;
}

// The distance of a subtree from the outline before it; the deepest edge is first.
function gapBetween(l, f, form) {
  let place = -Infinity;
  const levels = Math.min(l.edges.length, f.edges.length);
  for (let level = 0; level < levels; level++) {
    const a = l.edges[l.edges.length - 1 - level] + l.moved;
    const b = f.edges[f.edges.length - 1 - level] + f.moved;
    place = Math.max(place, a - b + (level ? form.apart : form.gap));
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
// `across` and `along` are the centre in breadth and the start in depth of each node.
export function layOut(model, isOpen, direction) {
  const { N, size, parent, depth } = model;
  const form = FORMS[direction];
  const nodes = [],
    above = [],
    place = new Int32Array(N).fill(-1);
  for (let i = 0; i < N;) {
    place[i] = nodes.length;
    nodes.push(i);
    above.push(i ? place[parent[i]] : -1);
    i += isOpen(i) ? 1 : size[i];
  }
  const across = tidy(above, form);
  const along = Float64Array.from(nodes, (node) => depth[node] * form.level);
  const levels = [];
  let low = Infinity,
    high = -Infinity;
  nodes.forEach((node, i) => {
    (levels[depth[node]] ||= []).push(i);
    low = Math.min(low, across[i] - form.breadth / 2);
    high = Math.max(high, across[i] + form.breadth / 2);
  });
  const cards = direction === "down" ? CARD.height : CARD.width;
  const long = (levels.length - 1) * form.level + cards;
  const box =
    direction === "down"
      ? { left: low, right: high, top: -form.label, bottom: long }
      : { left: 0, right: long, top: low - form.label, bottom: high };
  return { direction, form, nodes, above, place, across, along, levels, box };
}
