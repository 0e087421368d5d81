"""One flag for every parameter of the estimators, read from their source.

Names, defaults and descriptions come from the signature and the docstring of
`TreeClassifier` and `TreeRegressor`, so no parameter can be forgotten. The source is
read, not imported: importing the estimators imports scikit-learn, which would make
``treewright grow --help`` and completion five times slower.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from textwrap import dedent
from typing import Any

import click
from click.shell_completion import CompletionItem

from treewright.commands.failures import as_flags
from treewright.commands.flags import Flag

__all__ = ["ELSEWHERE", "Parameter", "Value", "estimator_flags", "estimator_parameters"]

ELSEWHERE = {
    "checkpoint": "--checkpoint",
    "kinds": "--kind",
    "memory_limit": "--memory-limit",
    "progress": "a terminal",
}
"""Parameters without a generated flag, and what sets them."""

_CLASSES = {
    "class": ("classifier", "TreeClassifier"),
    "number": ("regressor", "TreeRegressor"),
}
_ENTRY = re.compile(r"^(\w+) : (.+)$", re.MULTILINE)
_QUOTED = re.compile(r"(?<!`)`(\w+)`(?!`)")
_WORDS = re.compile(r"'([\w]+)'")
_CONSTANTS = {"none": None, "true": True, "false": False}


@dataclass(frozen=True)
class Parameter:
    """One parameter of an estimator, as its signature and docstring state it."""

    name: str
    default: Any
    type: str
    """The type in the docstring, without the default."""
    description: str
    tasks: tuple[str, ...]
    """'class', 'number' or both: the estimators that have the parameter."""
    for_numbers: tuple[str, ...] = ()
    """Words that only the regressor's description quotes, such as its criteria."""

    @property
    def flag(self) -> str:
        """The flag of the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def words(self) -> tuple[str, ...]:
        """The words that the type lists, and 'none' where None is another value."""
        words = tuple(_WORDS.findall(self.type))
        nothing = "None" in self.type and self.default is not None
        return (*words, "none") if nothing else words

    @property
    def is_mapping(self) -> bool:
        """Whether a value can be a dict."""
        return "dict" in self.type

    @property
    def metavar(self) -> str:
        """The accepted values, for the help."""
        kinds = [
            k.upper() for k in ("int", "float") if re.search(rf"\b{k}\b", self.type)
        ]
        if self.is_mapping:
            kinds.append("JSON" if "array" in self.type else "NAME=VALUE,...")
        return "|".join([*kinds, *self.words]) or "TEXT"


class Value(click.ParamType):  # type: ignore[type-arg]
    """The text of a flag as a Python value; the library checks the value."""

    name = "value"

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return a number, None, a bool, a dict or a list; other text as it is."""
        if value.startswith(("{", "[")):
            return self._from_json(value, param, ctx)
        if self.parameter.is_mapping and "=" in value:
            return self._from_pairs(value, param, ctx)
        return _plain(value)

    def _from_json(self, value: str, param: Any, ctx: Any) -> Any:
        try:
            return json.loads(value)
        except ValueError as problem:
            self.fail(
                f"{value!r} is not valid JSON: {problem}. Put names in double quotes "
                "and the whole value in single quotes, such as "
                '\'{"yes": {"no": 5}}\'.',
                param,
                ctx,
            )

    def _from_pairs(self, value: str, param: Any, ctx: Any) -> dict[str, Any]:
        pairs = [each.rpartition("=") for each in value.split(",")]
        for name, sign, each in pairs:
            if not (name and sign):
                self.fail(
                    f"{name + sign + each!r} in {value!r} is not NAME=VALUE. Write "
                    "NAME=VALUE,NAME=VALUE, such as yes=5,no=1.",
                    param,
                    ctx,
                )
        return {name: _plain(each) for name, _, each in pairs}

    def get_metavar(self, param: Any, ctx: Any = None) -> str:
        """Return the accepted values."""
        return self.parameter.metavar

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the words that the parameter lists."""
        words = self.parameter.words
        return [CompletionItem(word) for word in words if word.startswith(incomplete)]


def _plain(text: str) -> Any:
    """Return the number, bool or None that a text spells; otherwise the text."""
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def estimator_flags() -> list[click.Option]:
    """Return one click option for each parameter of the estimators."""
    return [
        Flag(
            [each.flag, each.name],
            **({"is_flag": True} if each.type == "bool" else {"type": Value(each)}),
            default=None,
            help=_help(each),
            section=_section(each),
        )
        for each in estimator_parameters()
        if each.name not in ELSEWHERE
    ]


def _section(parameter: Parameter) -> str:
    pruning = {"cv", "ccp_alpha", "validation_fraction", "size_by", "size_price"}
    pruning |= {"shrinkage", "keep_path"}
    if parameter.name.startswith("prune") or parameter.name in pruning:
        return "Pruning: parameters of the estimators"
    return "Growing: parameters of the estimators"


def _help(parameter: Parameter) -> str:
    """Return the description in the words of the shell, with the default."""
    flags = {each.name: each.flag for each in estimator_parameters()} | ELSEWHERE
    text = parameter.description.replace(" See `as_table`.", "")
    text = _QUOTED.sub(lambda f: flags.get(f[1], f[1]), text)
    text = as_flags(text.replace("`", ""))
    only: dict[tuple[str, ...], str] = {
        ("class",): "Trees for classes only. ",
        ("number",): "Trees for numbers only. ",
    }
    default = parameter.default
    shown = "" if default is None or default is False else f" [default: {default}]"
    others = ", ".join(repr(word) for word in parameter.for_numbers)
    also = f" For numbers: {others}." if others else ""
    return only.get(parameter.tasks, "") + text + also + shown


@cache
def estimator_parameters() -> tuple[Parameter, ...]:
    """Return the parameters of both estimators, in the order of the signatures.

    Where both have a parameter, the classifier describes it.
    """
    found = {task: _parameters_of(task) for task in _CLASSES}
    names = list(dict.fromkeys([*found["class"], *found["number"]]))
    return tuple(
        Parameter(
            name,
            *(found["class"].get(name) or found["number"][name]),
            tuple(task for task in found if name in found[task]),
            _only_in(found["number"].get(name), found["class"].get(name)),
        )
        for name in names
    )


def _only_in(
    one: tuple[Any, str, str] | None, other: tuple[Any, str, str] | None
) -> tuple[str, ...]:
    """Return the words that one description quotes and the other does not."""
    if one is None or other is None:
        return ()
    said = set(_WORDS.findall(other[2]))
    return tuple(w for w in dict.fromkeys(_WORDS.findall(one[2])) if w not in said)


def _parameters_of(task: str) -> dict[str, tuple[Any, str, str]]:
    """Return default, type and description of each parameter of one estimator."""
    module, name = _CLASSES[task]
    source = files("treewright.estimators") / f"{module}.py"
    body = ast.parse(source.read_text(encoding="utf-8")).body
    defined = next(
        each for each in body if isinstance(each, ast.ClassDef) and each.name == name
    )
    start = next(
        each
        for each in defined.body
        if isinstance(each, ast.FunctionDef) and each.name == "__init__"
    )
    defaults = {
        arg.arg: ast.literal_eval(default)
        for arg, default in zip(
            start.args.kwonlyargs, start.args.kw_defaults, strict=True
        )
        if default is not None
    }
    described = _described(ast.get_docstring(defined) or "")
    return {each: (defaults[each], *described[each]) for each in defaults}


def _described(docstring: str) -> dict[str, tuple[str, str]]:
    """Return type and description of each parameter of a numpydoc docstring."""
    section = docstring.partition("Parameters\n----------\n")[2]
    section = re.split(r"\n\n\w+\n-+\n", section)[0]
    entries = list(_ENTRY.finditer(section))
    ends = [each.start() for each in entries[1:]] + [len(section)]
    return {
        entry[1]: (
            entry[2].partition(", default")[0],
            " ".join(dedent(section[entry.end() : end]).split()),
        )
        for entry, end in zip(entries, ends, strict=True)
    }
