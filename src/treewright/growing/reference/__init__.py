"""The slow grower that the fast one must agree with.

It is written to be readable and correct. It examines every candidate; its sums are
exact integers and its gains are fractions (for entropy and poisson, carefully summed
floats). Use it for tests and for tables of a few hundred rows.

Read it in this order:

=============  =================================================================
`sums`         the sums over a set of rows, and the gain of dividing it
`absolute`     medians, and the mean distance from them
`candidates`   every split into two branches, in the order that decides ties
`multiway`     the split with one branch for every category
`known`        gains from the rows whose value is known
`choose`       which candidates are allowed, and which has the largest gain
`ratio`        choosing by the gain ratio
`c45`          what C4.5 adds to the gain ratio
`surrogates`   other columns that send the rows down the same branches
`divide`       which rows go down which branch, whole or in part
`grow`         opening and stopping nodes, best first
`layout`       the arrays of the finished tree
=============  =================================================================
"""

from treewright.growing.reference.grow import grow_reference

__all__ = ["grow_reference"]
