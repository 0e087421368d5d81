import numpy as np
import pytest

from treewright.reading.conditions.bits import bits_of, flags_of


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 64, 1000])
def test_bits_are_made_and_read_as_one_by_one(n):
    rng = np.random.default_rng(n)
    codes = np.flatnonzero(rng.random(n) < 0.5)
    bits = bits_of(codes)
    assert bits == sum(1 << int(code) for code in codes)
    assert np.array_equal(np.flatnonzero(flags_of(bits, n)), codes)
    assert flags_of(~bits, n).tolist() == (~flags_of(bits, n)).tolist()
