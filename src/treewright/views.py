"""What a tree looks like: text, rules, frames and pictures, as methods of `tw.Tree`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.drawing.dot import to_dot
from treewright.drawing.mermaid import to_mermaid
from treewright.drawing.svg import to_svg
from treewright.drawing.way import way_of
from treewright.growing.competitors import Competitor, competitors_of
from treewright.reading.colour import MOST_PRINTED, coloured, show
from treewright.reading.formula import Formula, formula
from treewright.reading.frame import to_dict, to_pandas
from treewright.reading.missing import (
    MissingAccount,
    SurrogateSplit,
    missing_account,
    surrogate_splits,
)
from treewright.reading.rules import Rules
from treewright.reading.text import text
from treewright.tree.data import TreeData

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Views"]


class Views:
    """The methods of a tree that show it; all need the tree alone."""

    __slots__ = ()

    data: TreeData

    # -- reading ------------------------------------------------------------------

    def text(
        self,
        max_depth: int | None = None,
        *,
        max_leaves: int | None = None,
        ascii: bool = False,
        numbers: bool = False,
        missing: bool | None = None,
    ) -> str:
        """Return the tree as indented text, one line per node.

        Parameters
        ----------
        max_depth : int or None, default=None
            Deepest level to write; None: all.
        max_leaves : int or None, default=None
            Most ends to write, impure nodes with many rows opened first; None: all.
            What is folded is said.
        ascii : bool, default=False
            Draw with ASCII characters only.
        numbers : bool, default=False
            Write each node's number at the left: the number that `path`, `rows`
            and `split` take.
        missing : bool or None, default=None
            Whether to say where missing values go; None: of columns that had any
            when the tree was grown.

        Returns
        -------
        str
            Leaves are marked with a star, conditions of a split that is not
            proven the best with a tilde.
        """
        return text(
            self.data,
            max_depth,
            max_leaves=max_leaves,
            ascii=ascii,
            numbers=numbers,
            missing=missing,
        )

    def show(self, max_depth: int | None = None, *, max_leaves: int = 200) -> None:
        """Print the text, in colour where the terminal can and rich is installed."""
        show(self.data, max_depth, max_leaves)

    def __rich__(self) -> Any:
        """Return the text in colour, for rich."""
        return coloured(self.data, self.text(max_leaves=MOST_PRINTED))

    def rules(self) -> Rules:
        """Return the tree as rules "IF ... AND ... THEN ...", made when looked at.

        Returns
        -------
        Rules
            A sequence with one rule for every leaf, and one for every inner node in
            which a missing value can stop; ``rules.where(...)``,
            ``rules.sorted_by(...)``, ``rules.to_pandas()``, ``rules.text()``.
        """
        return Rules(self.data)

    def formula(self, prediction: Any = None) -> Formula:
        """Return what leads to one class as OR of ANDs, or the sum of all numbers.

        Parameters
        ----------
        prediction : object, optional
            The class; not for a tree that answers numbers.

        Returns
        -------
        Formula
            Simplified without changing a single answer: ``formula.evaluate(X)`` is
            true exactly where `predict` answers the class.
        """
        return formula(self.data, prediction)

    def competitors(self, node: int) -> list[Competitor]:
        """Return the splits that came close at a node, best first.

        Only in a tree grown with ``competitors=``; `treewright.why` works them out
        for any tree.
        """
        return competitors_of(self.data, node)

    def surrogates(self, node: int) -> tuple[SurrogateSplit, ...]:
        """Return the surrogates of a node in the order they are asked.

        Only a tree grown with ``missing="surrogate"`` has any.
        """
        return surrogate_splits(self.data, node)

    def missing_account(self, node: int) -> MissingAccount:
        """Return where the training rows went that were missing in a split's column.

        By surrogate 1, 2, ..., by the heavier or the learned branch, stopped, or
        divided; ``tree.missing_account(0).words`` says it.
        """
        return missing_account(self.data, node)

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with one row per node."""
        return to_pandas(self.data)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as dicts, lists, strings and numbers, ready for JSON."""
        return to_dict(self.data)

    # -- pictures -----------------------------------------------------------------

    def to_svg(
        self,
        *,
        row: Any = None,
        max_depth: int | None = None,
        max_leaves: int | None = 60,
        theme: str = "auto",
        direction: str | None = None,
    ) -> str:
        """Return the tree as an SVG picture.

        Every node shows how its rows are spread, a branch is as wide as its share
        of them, and hovering over a node tells the rest.

        Parameters
        ----------
        row : mapping, series, list, array or table of one row, optional
            A row whose way is highlighted.
        max_depth : int or None, default=None
            Deepest level to draw; None: all.
        max_leaves : int or None, default=60
            Most leaves to draw; the picture says what it folds. None: all.
        theme : {'auto', 'light', 'dark'}, default='auto'
            Colours; 'auto' follows the reader's screen.
        direction : {'down', 'right'} or None, default=None
            Where the tree grows; None: down while that is not too wide.

        Returns
        -------
        str
            An ``<svg>`` element: write it into a file, or into a page.
        """
        return to_svg(
            self.data,
            way=None if row is None else way_of(self.data, row),
            max_depth=max_depth,
            max_leaves=max_leaves,
            theme=theme,
            direction=direction,
        )

    def to_mermaid(
        self, *, max_depth: int | None = None, max_leaves: int | None = 60
    ) -> str:
        """Return the tree as a mermaid flowchart; options as in `to_svg`."""
        return to_mermaid(self.data, max_depth=max_depth, max_leaves=max_leaves)

    def to_dot(
        self, *, max_depth: int | None = None, max_leaves: int | None = 60
    ) -> str:
        """Return the tree in graphviz's dot language; options as in `to_svg`."""
        return to_dot(self.data, max_depth=max_depth, max_leaves=max_leaves)

    def _repr_svg_(self) -> str:
        """Show the picture in a notebook."""
        return self.to_svg()

    def _repr_html_(self) -> str:
        """Show the picture in a notebook, at its own size."""
        return f'<div style="max-width:100%;overflow:auto">{self.to_svg()}</div>'
