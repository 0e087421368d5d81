"""Sets of categories as bits of one whole number, made and read in linear time.

Setting or testing a million bits one by one would copy the number a million times.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["bits_of", "flags_of"]


def bits_of(codes: NDArray[np.integer]) -> int:
    """Return the number in which the bits of these codes are set.

    Examples
    --------
    >>> bin(bits_of(np.array([0, 3])))
    '0b1001'
    """
    if not len(codes):
        return 0
    flags = np.zeros(int(codes.max()) + 1, np.bool_)
    flags[codes] = True
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def flags_of(bits: int, n: int) -> NDArray[np.bool_]:
    """Return whether each of the first n bits is set.

    Examples
    --------
    >>> flags_of(0b1001, 5).tolist()
    [True, False, False, True, False]
    """
    size = (n + 7) // 8
    packed = (bits & ((1 << n) - 1)).to_bytes(size, "little")
    flags = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little", count=n)
    return flags.view(np.bool_)
