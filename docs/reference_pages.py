"""Directives for the reference: the public names of the package, the help of every command, the glossary.

``{public-names}`` documents every name of ``tacit.__all__`` by its docstring, in the groups below; a name
that no group holds is shown under "More", so that a new one cannot be forgotten. ``{commands}`` prints what
``tacit COMMAND --help`` prints, ``{glossary-words}`` what the page and the dossier say of technical terms.
"""

from __future__ import annotations

import inspect
import io

from docutils import nodes
from rich.console import Console
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import tacit
from tacit.surface.catalogue import glossary
from tacit.surface.cli import app as commands

GROUPS = {
    "Data": [
        "read_table", "read_transactions", "write_table", "write_transactions", "table_from_frame",
        "transactions_from_sets", "load_sample", "Table", "Column", "Roles", "Transactions",
    ],
    "Hierarchies": [
        "read_hierarchy", "write_hierarchy", "check_hierarchy", "show_hierarchy", "build_intervals",
        "build_balanced", "build_prefixes", "build_dates", "build_flat", "build_items", "build_levels",
        "propose_hierarchy", "Hierarchy",
    ],
    "Before publishing": [
        "profile", "risk", "mine_itemsets", "mine_rules", "mine_negative_rules", "disclose", "safe_rules",
        "Fact",
    ],
    "Publishing": ["bucketize", "generalize", "hide"],
    "After publishing": ["verify", "export", "sign", "new_signing_key", "compare", "open_release"],
    "Recipes": ["load_recipe", "check_recipe", "run_recipe", "Recipe"],
    "Keys": ["Key", "load_key"],
    "Errors": [
        "TacitError", "UsageError", "ParameterError", "InputError", "InfeasibleError", "ResourceError",
        "OutputError", "VerificationError", "Cancelled",
    ],
}  # fmt: skip


class PublicNames(SphinxDirective):
    """Every public name, by its docstring."""

    def run(self) -> list[nodes.Node]:
        grouped = {name for names in GROUPS.values() for name in names}
        more = [name for name in tacit.__all__ if name not in grouped and name != "__version__"]
        found: list[nodes.Node] = []
        for title, names in {**GROUPS, "More": more}.items():
            if names:
                section = nodes.section(ids=[nodes.make_id(title)], names=[title.lower()])
                section += nodes.title(text=title)
                section += self._parsed([line for name in names for line in _documented(name)])
                found.append(section)
        return found

    def _parsed(self, lines: list[str]) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(["```{eval-rst}", *lines, "```"]))


def _documented(name: str) -> list[str]:
    thing = getattr(tacit, name)
    if not inspect.isclass(thing):
        return [f".. autofunction:: tacit.{name}", ""]
    kind = "autoexception" if issubclass(thing, BaseException) else "autoclass"
    return [f".. {kind}:: tacit.{name}", "   :members:", ""]


class Commands(SphinxDirective):
    """The help of every command, as it is printed."""

    def run(self) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        for words in [[], *_all_commands()]:
            title = " ".join(["tacit", *words])
            section = nodes.section(ids=[nodes.make_id(title)], names=[title])
            section += nodes.title(text=title)
            section += nodes.literal_block(text=_help(words), language="text")
            found.append(section)
        return found


def _all_commands() -> list[list[str]]:
    found = []
    for name in commands:
        if not name.startswith("-"):
            found.append([name])
            found += [[name, below] for below in commands[name] if not below.startswith("-")]
    return found


def _help(words: list[str]) -> str:
    out = io.StringIO()
    commands.help_print(words, console=Console(file=out, width=86, color_system=None))
    return "\n".join(line.rstrip() for line in out.getvalue().strip().splitlines())


class Glossary(SphinxDirective):
    """Every technical term with its meaning."""

    def run(self) -> list[nodes.Node]:
        found = nodes.definition_list()
        for term, says in glossary().items():
            entry = nodes.definition_list_item("", nodes.term(text=term))
            entry += nodes.definition("", nodes.paragraph(text=says))
            found += entry
        return [found]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("public-names", PublicNames)
    app.add_directive("commands", Commands)
    app.add_directive("glossary-words", Glossary)
    return {"parallel_read_safe": True}
