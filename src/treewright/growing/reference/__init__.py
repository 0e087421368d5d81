"""The slow grower that the fast one must agree with.

It is written to be read and to be right: every candidate is looked at, sums are
exact integers, gains are fractions (entropy and poisson: carefully summed
floats). Use it for tests and for tables of some hundred rows.

Read it in this order:

=============  =================================================================
`sums`         what rows add up to, and the gain of dividing them
`absolute`     medians, and the distance from them
`candidates`   every split in two a column offers, in the written order
`multiway`     the split with one branch for every category
`known`        gains from the rows whose value is known
`choose`       which of them are allowed, and which one has the largest gain
`ratio`        choosing by the gain ratio
`c45`          what C4.5 adds to it
`surrogates`   other columns that send the rows the same way
`divide`       which rows go down which branch, whole or in part
`grow`         opening nodes, stopping, best first
`layout`       the finished tree
=============  =================================================================
"""

from treewright.growing.reference.grow import grow_reference

__all__ = ["grow_reference"]
