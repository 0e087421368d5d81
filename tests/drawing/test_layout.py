from itertools import pairwise

import numpy as np
import pytest

from treewright.drawing.layout import tidy


def random_parents(rng, n, bushy):
    """Parents in preorder of a random tree."""
    parents, way = [-1], [0]
    for node in range(1, n):
        while len(way) > 1 and rng.random() < bushy:
            way.pop()
        parents.append(way[-1])
        way.append(node)
    return parents


def depths_of(parents):
    depths = []
    for above in parents:
        depths.append(depths[above] + 1 if above >= 0 else 0)
    return depths


def levels_of(parents):
    levels = {}
    for node, depth in enumerate(depths_of(parents)):
        levels.setdefault(depth, []).append(node)
    return levels.values()


@pytest.mark.parametrize("seed", range(200))
def test_neighbours_keep_their_distance_and_their_order(seed):
    rng = np.random.default_rng(seed)
    parents = random_parents(rng, int(rng.integers(1, 80)), rng.choice([0.3, 0.5, 0.7]))
    breadths = rng.choice([1.0, 2.0, 5.0, 9.5], len(parents)).tolist()
    places = tidy(parents, breadths, gap=1.0, cousin_gap=2.0)
    for level in levels_of(parents):
        for a, b in pairwise(level):
            least = 1.0 if parents[a] == parents[b] else 2.0
            between = (places[b] - breadths[b] / 2) - (places[a] + breadths[a] / 2)
            assert between >= least - 1e-9
    left = min(x - b / 2 for x, b in zip(places, breadths, strict=True))
    assert left == pytest.approx(0)


@pytest.mark.parametrize("seed", range(50))
def test_a_parent_stands_in_the_middle_of_its_first_and_last_child(seed):
    rng = np.random.default_rng(seed)
    parents = random_parents(rng, 60, 0.5)
    places = tidy(parents, [1.0] * 60)
    for node in range(60):
        below = [c for c in range(60) if parents[c] == node]
        if below:
            middle = (places[below[0]] + places[below[-1]]) / 2
            assert places[node] == pytest.approx(middle)


@pytest.mark.parametrize("seed", range(50))
def test_a_binary_tree_is_as_narrow_as_its_outlines_allow(seed):
    """Compare with a slow layout that checks all levels of two subtrees every time."""
    rng = np.random.default_rng(seed)
    parents = [-1]
    open_ends = [0]
    while len(parents) < 41:
        node = open_ends.pop(int(rng.integers(len(open_ends))))
        for _ in range(2):
            open_ends.append(len(parents))
            parents.append(node)
    order, children = [], {k: [] for k in range(41)}
    for child, above in enumerate(parents[1:], 1):
        children[above].append(child)
    waiting = [0]
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(children[order[-1]])
    number = {node: k for k, node in enumerate(order)}
    preorder = [-1] + [number[parents[node]] for node in order[1:]]
    widths = rng.choice([1.0, 3.0], 41).tolist()
    assert tidy(preorder, widths) == pytest.approx(slow_binary(preorder, widths))


def slow_binary(parents, widths):
    n, depths = len(parents), depths_of(parents)
    children = [[c for c in range(n) if parents[c] == node] for node in range(n)]
    shapes = {}
    for node in range(n - 1, -1, -1):
        shape = {node: 0.0}
        if children[node]:
            left, right = (shapes[c] for c in children[node])
            push = max(
                left[a] + widths[a] / 2 + 1 - (right[b] - widths[b] / 2)
                for a in left
                for b in right
                if depths[a] == depths[b]
            )
            shape |= {a: x - push / 2 for a, x in left.items()}
            shape |= {b: x + push / 2 for b, x in right.items()}
        shapes[node] = shape
    places = shapes[0]
    least = min(x - widths[k] / 2 for k, x in places.items())
    return [places[k] - least for k in range(n)]


def test_siblings_between_two_deep_ones_share_the_room():
    # The outer two have three children each, the three between them none.
    parents = [-1, 0, 1, 1, 1, 0, 0, 0, 0, 8, 8, 8]
    places = tidy(parents, [1.0] * 12)
    top = [places[k] for k in (1, 5, 6, 7, 8)]
    assert np.diff(top) == pytest.approx([2.0] * 4)
    wide = tidy([-1, 0, 1, 1, 1, 1, 1, 0, 0, 8, 8, 8, 8, 8], [1.0] * 14)
    assert np.diff([wide[k] for k in (1, 7, 8)]) == pytest.approx([5.0, 5.0])


@pytest.mark.parametrize("parents", [list(range(-1, 49_999)), [-1] + [0] * 49_999])
def test_chains_and_stars_of_any_size(parents):
    assert len(tidy(parents, [1.0] * 50_000)) == 50_000


def test_mirrored_trees_have_mirrored_pictures():
    left = tidy([-1, 0, 1, 1, 0], [1.0, 2.0, 3.0, 1.0, 1.0])
    right = tidy([-1, 0, 0, 2, 2], [1.0, 1.0, 2.0, 1.0, 3.0])
    width = right[4] + 1.5
    mirrored = [width - right[k] for k in (0, 2, 4, 3, 1)]
    assert left == pytest.approx(mirrored)
