"""Whole trees of rpart and J48, grown by our own core through `like(...)`.

rpart's nodes are compared by their rows from the root down; below a node whose split is
one of several equally good ones, and ours is another, nothing is compared. `TIES` names
them: what rpart's own file calls a tie is accepted as such.
"""

NAMES = (
    "rpart_kyphosis",
    "rpart_stagec",
    "rpart_car_test_frame",
    "rpart_titanic",
    "rpart_heart",
    "rpart_hitters",
    "rpart_carseats",
    "rpart_penguins",
    "rpart_solder_poisson",
)
