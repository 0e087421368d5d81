"""The slow grower that the fast one must agree with.

It is written to be read and to be right: every candidate is looked at, sums are
exact integers, gains are fractions (entropy and poisson: carefully summed
floats). Use it for tests and for tables of some hundred rows.

Read it in this order:

=============  =================================================================
`sums`         what rows add up to, and the gain of dividing them
`candidates`   every split a column offers, in the written order
`choose`       which of them are allowed, and which one wins
`grow`         opening nodes, stopping, best first, and the finished tree
=============  =================================================================
"""

from treewright.growing.reference.grow import grow_reference

__all__ = ["grow_reference"]
