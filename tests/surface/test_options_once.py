"""Every option of every verb, through library, command line, recipe, page, schema and reference.

Nothing is written down a second time, so all of them have the same default, the same range and the same
refusal.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from decimal import Decimal
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import polars as pl
import pytest

import tacit
from tacit.data.table import table_from_frame
from tacit.engine.choice import engine_asked_for
from tacit.errors import ParameterError, TacitError, UsageError
from tacit.io.hierarchies import BUILDERS
from tacit.io.readers.formats import SET_FORMATS, SetFormatName
from tacit.methods import METHODS, TABLE, Method, knowledge_options
from tacit.options import REQUIRED, Option, check_options, options_of
from tacit.ranges import Lines, Share, Strings, Support, Switch, Whole, Words, as_fraction
from tacit.release.published import Release
from tacit.surface.cli import main, measuring, verbs
from tacit.surface.cli.flags import DataFlags
from tacit.surface.cli.verbs import ReleaseFlags
from tacit.surface.dossier import Facts
from tacit.surface.export import export
from tacit.surface.page import forms
from tacit.surface.page.forms import (
    ELSEWHERE,
    NOT_HERE,
    options_in,
    read_fields,
    reading_fields,
    values_of,
)
from tacit.surface.reading import MEANT_FOR, READERS, TREES, only_for
from tacit.surface.recipe.load import Places, recipe_from
from tacit.surface.recipe.model import SECTIONS, Knowledge, Source
from tacit.surface.recipe.prepare import check_consistent
from tacit.surface.recipe.text import recipe_schema
from tests.conftest import REPOSITORY

PUBLIC_VERBS = [
    *(method.verb for method in METHODS.values()),
    *(tacit.mine_itemsets, tacit.mine_rules, tacit.mine_negative_rules, tacit.disclose, tacit.risk),
    tacit.sweep,
    *(tacit.read_table, tacit.read_transactions, engine_asked_for, Release.save),
]


def few_words(schema: dict[str, Any]) -> set[str]:
    """The words that a range allows, where they are a few."""
    return {*schema.get("enum", ()), *(word for one in schema.get("anyOf", ()) for word in few_words(one))}


def literal_words(kind: Any) -> set[str]:
    """The words of a type that an editor can complete."""
    if get_origin(kind) is Literal:
        return set(get_args(kind))
    return {word for part in get_args(kind) for word in literal_words(part)}


@pytest.mark.parametrize("verb", PUBLIC_VERBS, ids=lambda verb: verb.__name__)
def test_an_editor_completes_the_words_of_an_option(verb: Any) -> None:
    function = inspect.unwrap(verb)
    for name, option in options_of(verb).items():
        annotation = inspect.signature(function).parameters[name].annotation
        kind = get_args(eval(annotation, vars(sys.modules[function.__module__])))[0]
        assert literal_words(kind) == few_words(option.range.schema()), name


def test_every_format_of_sets_can_be_completed() -> None:
    assert set(get_args(SetFormatName)) == set(SET_FORMATS)


VALUES: dict[str, dict[str, Any]] = {
    "bucketize": {"l": 2},
    "generalize": {"k": 2, "m": 1},
    "generalize_table": {"k": 2},
    "hide": {"patterns": ["beer, chips"], "min_support": 3},
    "rules": {"min_support": 2, "min_confidence": Decimal("0.1"), "max_posterior": Decimal("0.9")},
}
"""What each method must be given."""


def every_option() -> Iterator[Any]:
    for method in METHODS.values():
        for name, option in method.options.items():
            yield pytest.param(method, option, id=f"{method.name}: {name}")


def command(method: Method) -> list[str]:
    """The beginning of a command: a table has quasi-identifiers."""
    return [method.command, "data.csv", *(("--quasi", "age") if method.takes == TABLE else ())]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float | Decimal) or isinstance(other, float | Decimal):
        return as_fraction(one) == as_fraction(other)
    return bool(one == other)


@pytest.mark.parametrize(("method", "option"), list(every_option()))
def test_defaults_are_the_same_everywhere(method: Method, option: Option) -> None:
    parameter = inspect.signature(method.verb).parameters[option.name]
    flag = inspect.signature(getattr(verbs, method.command)).parameters[option.name]
    field = SECTIONS[method.name].keys[option.name]
    if option.required:
        # What only one of two methods with one command must be given is asked for once the data are known.
        assert parameter.default is inspect.Parameter.empty
        assert flag.default is (None if (method.name, option.name) == ("generalize", "m") else REQUIRED)
        assert field.default is REQUIRED
        return
    assert same(parameter.default, field.default)
    assert same(flag.default, parameter.default) or option.names_file  # a file, or none


@pytest.mark.parametrize(("method", "option"), list(every_option()))
def test_every_surface_says_the_same_of_it(method: Method, option: Option) -> None:
    assert option.says.help in (method.verb.__doc__ or "")
    properties = schema()["$defs"][method.name.title()]["properties"]
    assert properties[option.name]["description"] == option.says.help
    page = (REPOSITORY / "docs" / "reference" / "recipe.md").read_text(encoding="utf-8")
    assert option.says.help.replace("|", "\\|") in page
    assert option.flag in printed_help(method.command)


schema = cache(recipe_schema)


@cache
def printed_help(command: str) -> str:
    """Made once for all options of a command."""
    with redirect_stdout(StringIO()) as printed:
        main([command, "--help"])
    return printed.getvalue()


WRONG: dict[type, tuple[Any, str]] = {Whole: (-1, "-1"), Share: (-1, "-1"), Support: (0, "0")}


@pytest.mark.parametrize(("method", "option"), list(every_option()))
def test_a_value_out_of_range_is_refused_in_the_same_words(
    method: Method, option: Option, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    inner = getattr(option.range, "inner", option.range)
    wrong, text = WRONG.get(type(inner), ("no such word", "no such word"))
    if option.range.holds(wrong):
        pytest.skip("any text will do")
    given = VALUES[method.name] | {option.name: wrong}
    with pytest.raises(ParameterError) as caught:
        method.verb(None, **given)
    said = caught.value.message
    assert caught.value.option == option.name
    # The recipe, and with it the page: the same code about the same option.
    told = {"source": {"path": "x"}, "release": [{"method": method.name, "output": "o", **given}]}
    with pytest.raises(UsageError) as refused:
        recipe_from(told)
    assert (refused.value.code, refused.value.option) == (caught.value.code, option.name)
    # The command line: the same sentence, of the text that was typed.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text("beer, chips\n")
    words = command(method)
    for name, value in given.items():
        flag = method.options[name].flag
        value = "secret.txt" if isinstance(method.options[name].range, Lines) else value
        words += [flag, text if name == option.name else str(value)]
    if not isinstance(inner, Lines) and option.range.schema().get("type") not in ("boolean", "array"):
        assert main([*words, "--json"]) == 2
        error = json.loads(capsys.readouterr().out)["error"]
        assert (error["code"], error["option"]) == (caught.value.code, option.name)
        assert error["message"].partition(" Got ")[0] == said.partition(" Got ")[0]


def unused() -> Iterator[Any]:
    """Options that are given where they do nothing: each with values that make it so."""
    cases = [
        ("bucketize", "epsilon", {"epsilon": Decimal("0.2"), "algorithm": "anatomy"}),
        ("bucketize", "partners", {"partners": "any", "algorithm": "anatomy"}),
        ("bucketize", "partners", {"partners": "near", "max_posterior": Decimal("0.5")}),
        ("bucketize", "max_posterior_suppressed", {"max_posterior_suppressed": Decimal("0.5")}),
        ("bucketize", "k", {"k": 4, "partners": "near"}),
        ("bucketize", "join_values", {"join_values": True, "algorithm": "anatomy"}),
        ("bucketize", "after", {"after": "out"}),
        ("generalize", "restarts", {"restarts": 2}),
        ("generalize", "time_budget", {"time_budget": Decimal(2)}),
        ("generalize", "max_narrowed", {"max_narrowed": Decimal("0.1")}),
        ("generalize", "algorithm", {"algorithm": "direct", "mapping": "m.csv"}),
        ("generalize", "max_suppressed", {"max_suppressed": Decimal("0.1"), "mapping": "m.csv"}),
        ("generalize", "mapping", {"mapping": "m.csv", "person": "who", "after": "out"}),
        ("generalize", "after", {"after": "out"}),
        ("generalize_table", "after", {"after": "out"}),
        ("generalize_table", "max_suppressed", {"max_suppressed": Decimal("0.1")}),
        (
            "generalize_table",
            "max_suppressed",
            {"max_suppressed": Decimal("0.1"), "recoding": "global", "l": 2},
        ),
        ("generalize_table", "distance", {"distance": "ordered"}),
        ("generalize_table", "effort", {"effort": "quick", "recoding": "subtree"}),
        ("generalize_table", "readers", {"readers": "nothing", "t": Decimal("0.5")}),
        ("generalize_table", "epsilon", {"epsilon": Decimal("0.2")}),
        ("generalize_table", "epsilon", {"epsilon": Decimal("0.2"), "l": 2, "recoding": "global"}),
        ("hide", "window", {"window": 10}),
        ("hide", "disclosure", {"disclosure": Decimal("0.1")}),
        ("hide", "policy", {"policy": "exact", "algorithm": "swa"}),
        ("hide", "targets", {"targets": "limit", "algorithm": "swa"}),
        ("hide", "confidence", {"confidence": Decimal("0.5"), "policy": "exact"}),
        ("rules", "channels", {"channels": "refuse"}),
    ]
    for name, option, values in cases:
        yield pytest.param(METHODS[name], option, values, id=f"{name}: {values}")


@pytest.mark.parametrize(("method", "name", "values"), list(unused()))
def test_an_option_that_does_nothing_is_refused_in_the_same_words(
    method: Method, name: str, values: dict[str, Any], capsys: Any
) -> None:
    given = VALUES[method.name] | values
    with pytest.raises(UsageError) as caught:
        method.verb(None, **given)
    assert (caught.value.code, caught.value.option) == ("parameter-unused", name)
    told = {"source": {"path": "x"}, "release": [{"method": method.name, "output": "o", **given}]}
    with pytest.raises(UsageError) as refused:
        check_consistent(recipe_from(told), Places())
    assert (refused.value.message, refused.value.hint) == (caught.value.message, caught.value.hint)
    words = command(method)
    for option, value in given.items():
        is_file = isinstance(method.options[option].range, Lines)
        words += [method.options[option].flag]
        words += [] if value is True else ["secret.txt" if is_file else str(value)]
    assert main([*words, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["message"] == caught.value.message


def test_every_condition_has_a_case() -> None:
    tried = {(case.values[0].name, case.values[1]) for case in unused()}  # type: ignore[attr-defined]
    declared = {
        (method.name, option.name)
        for method in METHODS.values()
        for option in method.options.values()
        if option.only
    }
    assert declared == tried


@pytest.mark.parametrize("method", list(METHODS.values()), ids=list(METHODS))
def test_the_page_has_a_field_for_every_option(method: Method) -> None:
    names = options_in(method)
    assert set(method.options) <= set(names)
    given, known = values_of(method, {name: "1" for name in names if name not in NOT_HERE})
    assert set(given) | {*NOT_HERE} >= set(method.options)
    assert set(known) <= set(knowledge_options())
    assert bool(known) == method.knowledge


def test_knowledge_is_the_same_everywhere() -> None:
    parameters = inspect.signature(tacit.mine_negative_rules).parameters
    flags = inspect.signature(verbs.bucketize).parameters
    for name, option in knowledge_options().items():
        assert same(parameters[name].default, Knowledge.keys[name].default)
        assert same(flags[name].default, parameters[name].default) or option.names_file


def test_what_one_of_two_methods_with_one_command_needs_is_asked_for(capsys: Any) -> None:
    assert main(["generalize", "baskets.dat", "-k", "5", "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["code"], error["option"]) == ("parameter-missing", "m")
    assert main(["generalize", "baskets.dat", "-k", "5", "-m", "2", "-t", "0.3", "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["code"], error["option"]) == ("parameter-unused", "t")
    assert main(["generalize", "people.csv", "--quasi", "age", "-k", "5", "-m", "2", "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["code"], error["option"]) == ("parameter-unused", "m")


def test_what_a_verb_needs_is_asked_for_everywhere() -> None:
    given = {"l": 2, "on_infeasible": "suppress"}
    with pytest.raises(TacitError) as caught:
        check_options("bucketize", METHODS["bucketize"].options, given)
    assert caught.value.code == "suppression-unbounded" and caught.value.option == "max_posterior_suppressed"


def reading_options() -> list[Any]:
    return [
        pytest.param(kind, name, option, id=f"{kind}: {name}")
        for kind, options in MEANT_FOR.items()
        for name, option in options.items()
    ]


READING = pytest.mark.parametrize(("kind", "name", "option"), reading_options())
PAGE = {field["name"]: field for field in reading_fields()}


@READING
def test_a_way_of_reading_is_the_same_everywhere(kind: str, name: str, option: Option, capsys: Any) -> None:
    parameter = inspect.signature(READERS[kind]).parameters[option.name]
    field, flag = Source.keys[name], DataFlags.__dataclass_fields__[name]
    if name != "sensitive" or kind == "table":  # of transactions at most one is
        assert parameter.default == field.default == flag.default
    assert option.says.help in (READERS[kind].__doc__ or "")
    main(["profile", "--help"])
    assert option.flag in capsys.readouterr().out
    said = field.says.partition(" (")[0].removesuffix(".")
    assert name in (*TREES, "sensitive") or option.says.help.startswith(said)
    assert field.says in (REPOSITORY / "docs" / "reference" / "recipe.md").read_text()
    assert recipe_schema()["$defs"]["Source"]["properties"][name]["description"] == field.says
    if name not in (*ELSEWHERE, "format"):
        assert PAGE[name]["label"] == option.says.title


@READING
def test_a_way_of_reading_other_data_is_refused_in_the_same_words(
    kind: str, name: str, option: Option, capsys: Any
) -> None:
    if only_for(name) != kind:
        pytest.skip("it says something about both")
    method, *_ = (one for one in METHODS.values() if one.takes != kind)
    kind_of = Source.keys[name].kind
    likely = (("a",), 1, True, False, *few_words(option.range.schema()), "a")
    fits = (one for one in likely if name in TREES or kind_of.holds(one))
    value = "a" if name in TREES else next(one for one in fits if one != option.default)
    release = {"method": method.name, "output": "o", **VALUES[method.name]}
    with pytest.raises(UsageError) as refused:
        check_consistent(recipe_from({"source": {"path": "x", name: value}, "release": [release]}), Places())
    assert (refused.value.code, refused.value.option) == ("parameter-unused", name)
    flag = option.flag if value is not False else f"--no-{option.flag[2:]}"
    text = [value[0]] if isinstance(value, tuple) else [] if isinstance(value, bool) else [str(value)]
    given = [f"--{one.replace('_', '-')}={said}" for one, said in VALUES[method.name].items()]
    if name != "quasi":  # by which the command of two methods knows a table
        assert main([*command(method), *given, flag, *text, "--json"]) == 2
        error = json.loads(capsys.readouterr().out)["error"]
        assert (error["message"], error["hint"]) == (refused.value.message, refused.value.hint)


@READING
def test_a_wrong_way_of_reading_is_refused_in_the_same_words(
    kind: str, name: str, option: Option, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    inner = getattr(option.range, "inner", option.range)
    wrong = {Whole: -1, Words: " "}.get(type(inner), "no such word")
    if option.range.holds(wrong):
        pytest.skip("any text will do")
    with pytest.raises(ParameterError) as caught:
        READERS[kind]("data.csv", **{option.name: wrong})
    release = {"method": "bucketize", "output": "o", "l": 2}
    with pytest.raises(UsageError) as refused:
        recipe_from({"source": {"path": "x", name: wrong}, "release": [release]})
    assert (refused.value.code, refused.value.option) == (caught.value.code, name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    if not isinstance(inner, Switch) and name != "sensitive":  # a list there, and a blank is no name
        (tmp_path / "data.dat").write_text("a b\n")
        data = "data.csv" if kind == "table" else "data.dat"
        assert main(["profile", data, option.flag, str(wrong), "--json"]) == 2
        error = json.loads(capsys.readouterr().out)["error"]
        assert error["code"] == caught.value.code or name == "format"
    told = forms.reading_options("table" if kind == "table" else "baskets")
    if name in told:
        assert read_fields(told, {name: str(wrong)}).get(name) in (wrong, str(wrong), None)


def test_what_saving_asks_is_the_same_everywhere() -> None:
    for name, option in options_of(Release.save).items():
        assert ReleaseFlags.__dataclass_fields__[name].default == option.default
    said = options_of(Release.save)["acknowledge_composition"].says.help
    assert SECTIONS["hide"].keys["acknowledge_composition"].says == said


MEASURING: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "disclose": (tacit.disclose, measuring.disclose, {}),
    "risk": (tacit.risk, measuring.risk, {}),
    "mine itemsets": (tacit.mine_itemsets, measuring.itemsets, {"min_support": 2}),
    "mine rules": (tacit.mine_rules, measuring.rules, {"min_support": 2, "min_confidence": 0.5}),
    "mine negative": (tacit.mine_negative_rules, measuring.negative, {}),
    "sweep": (tacit.sweep, measuring.sweep, {}),
}
"""Verbs that publish nothing, by their commands, and what each must be given."""


def measured_options() -> Iterator[Any]:
    for command, (verb, *_) in MEASURING.items():
        for name, option in options_of(verb).items():
            yield pytest.param(command, option, id=f"{command}: {name}")


@pytest.mark.parametrize(("command", "option"), list(measured_options()))
def test_what_a_measuring_verb_asks_is_the_same_everywhere(
    command: str, option: Option, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    verb, function, needed = MEASURING[command]
    assert option.says.help in (verb.__doc__ or "")
    flag = inspect.signature(function).parameters[option.name]
    assert same(flag.default, option.default) or option.names_file
    inner = getattr(option.range, "inner", option.range)
    wrong, text = WRONG.get(type(inner), (" ", " "))
    if option.range.holds(wrong) or option.names_file or isinstance(inner, Switch | Strings):
        return
    with pytest.raises(ParameterError) as caught:
        verb(table_from_frame(pl.DataFrame({"a": ["x"]})), **(needed | {option.name: wrong}))
    monkeypatch.chdir(tmp_path)
    flags = options_of(verb)
    others = [
        word for name in needed if name != option.name for word in (flags[name].flag, str(needed[name]))
    ]
    assert main([*command.split(), "data.csv", *others, option.flag, text, "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["code"], error["option"]) == (caught.value.code, option.name)
    assert error["message"].partition(" Got ")[0] == caught.value.message.partition(" Got ")[0]


@pytest.mark.parametrize("way", BUILDERS)
def test_a_rule_for_a_hierarchy_is_the_same_everywhere(way: str, capsys: Any) -> None:
    page = (REPOSITORY / "docs" / "reference" / "recipe.md").read_text(encoding="utf-8")
    main(["hierarchy", "build", "--help"])
    told = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for option in options_of(BUILDERS[way]).values():
        assert option.flag in told
        assert option.says.help in page


def test_no_verb_is_left_out() -> None:
    walked = {
        inspect.unwrap(verb) for verb in (*PUBLIC_VERBS, *BUILDERS.values(), export, tacit.propose_hierarchy)
    }
    for file in (REPOSITORY / "src" / "tacit").rglob("*.py"):
        for name in re.findall(r"^@verb\ndef (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            module = ".".join(file.relative_to(REPOSITORY / "src").with_suffix("").parts)
            assert inspect.unwrap(getattr(importlib.import_module(module), name)) in walked, (module, name)


@pytest.mark.parametrize("option", list(options_of(Facts).values()), ids=lambda one: one.name)
def test_the_facts_of_a_dossier_are_the_same_everywhere(option: Option, capsys: Any) -> None:
    page = (REPOSITORY / "docs" / "reference" / "recipe.md").read_text(encoding="utf-8")
    assert option.says.help in page
    properties = recipe_schema()["$defs"]["Dossier"]["properties"]
    assert properties[option.name]["description"] == option.says.help
    for command in ("report", "risk"):
        main([command, "--help"])
        assert option.flag in capsys.readouterr().out
