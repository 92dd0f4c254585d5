"""Recipes as people hand them in: with typos, without files, asking for what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tacit.surface.recipe.load import open_recipe
from tacit.surface.recipe.run import run_recipe
from tests.bad_input.case import Case

TABLE = b"zip,sex,disease\n" + b"".join(
    b"%s,%s,%s\n" % ((b"a", b"b")[n % 2], (b"m", b"f")[n // 2 % 2], (b"x", b"y", b"z")[n % 3])
    for n in range(36)
)
BASKETS = b"a b\na b\nb c\na c\n" * 5
FILES = {"t.csv": TABLE, "b.dat": BASKETS, "h.csv": b"a;*\nb;*\nc;*\n", "s.txt": b"a, b\n"}

SOURCE = """\
[source]
path = "t.csv"
quasi = ["zip", "sex"]
sensitive = ["disease"]

[key]
seed = 1

"""
RELEASE = """\
[[release]]
method = "bucketize"
l = 2
output = "out/t"
"""
SETS = """\
[source]
path = "b.dat"
hierarchy = "h.csv"

[key]
seed = 1

[[release]]
method = "generalize"
k = 2
m = 1
output = "out/b"
"""
HIDE = SETS.replace('hierarchy = "h.csv"\n', "").replace(
    'method = "generalize"\nk = 2\nm = 1\n', 'method = "hide"\npatterns = ["a, b"]\nmin_support = 5\n'
)
RULES = SOURCE.partition("[key]")[0] + RELEASE.replace("bucketize", "rules").replace(
    "l = 2", "min_support = 2\nmin_confidence = 0.1\nmax_posterior = 0.9"
)
BASIC = SOURCE + RELEASE


def case(
    name: str,
    text: str,
    code: str | None,
    exit_code: int = 0,
    *says: str,
    files: dict[str, bytes] | None = None,
    prepare: Callable[[Path], None] | None = None,
) -> Case:
    """A recipe that is run through the library and through the command line."""

    def call(folder: Path) -> object:
        opened = open_recipe(folder / "recipe.toml")
        return run_recipe(opened.recipe, base=opened.base, places=opened.places)

    there = {**FILES, **(files or {}), "recipe.toml": text.encode()}
    return Case(f"recipe: {name}", call, ("run", "recipe.toml"), code, exit_code, there, says, prepare)


def with_output(folder: Path) -> None:
    (folder / "out" / "t").mkdir(parents=True)
    (folder / "out" / "t" / "mine.txt").write_text("mine")


CASES = [
    case("all in order", BASIC, None),
    case("sets in order", SETS, None),
    case("a secret in order", HIDE, None),
    case("rules in order", RULES, None),
    case("broken TOML", BASIC.replace("l = 2", "l = "), "recipe-toml", 3, "line 11"),
    case("a key twice", BASIC.replace("l = 2", "l = 2\nl = 3"), "recipe-toml", 3, "twice"),
    case("a table twice", SOURCE + SOURCE + RELEASE, "recipe-toml", 3, "twice"),
    case("text that is not closed", BASIC.replace('"out/t"', '"out/t'), "recipe-toml", 3),
    case("an unclosed header", BASIC.replace("[[release]]", "[[release]"), "recipe-toml", 3, "line 9"),
    case("an empty file", "", "recipe-key-missing", 2, "'source'"),
    case("only a comment", "# nothing yet\n", "recipe-key-missing", 2),
    case("no release", SOURCE, "recipe-key-missing", 2, "[[release]]"),
    case("no source", RELEASE, "recipe-key-missing", 2, "'source'"),
    case("a source without a path", BASIC.replace('path = "t.csv"\n', ""), "recipe-key-missing", 2, "'path'"),
    case(
        "a misspelt key",
        BASIC.replace("quasi", "qausi"),
        "recipe-key-unknown",
        2,
        "line 3",
        "Did you mean 'quasi'?",
    ),
    case("a misspelt table", BASIC.replace("[key]", "[keys]"), "recipe-key-unknown", 2, "line 6", "'key'"),
    case("a parameter of another method", BASIC.replace("l = 2", "l = 2\nm = 3"), "recipe-key-unknown", 2),
    case("a misspelt method", BASIC.replace("bucketize", "bucketise"), "recipe-choice", 2, "'bucketize'"),
    case("no method", BASIC.replace('method = "bucketize"\n', ""), "recipe-key-missing", 2, "'method'"),
    case("a parameter out of range", BASIC.replace("l = 2", "l = 1"), "parameter-range", 2, "line 11"),
    case("a parameter that is text", BASIC.replace("l = 2", 'l = "2"'), "parameter-range", 2, "line 11"),
    case("true for a number", BASIC.replace("l = 2", "l = true"), "parameter-range", 2, "true"),
    case("a fraction for a whole number", BASIC.replace("l = 2", "l = 2.5"), "parameter-range", 2, "2.5"),
    case(
        "text for a list", BASIC.replace('["disease"]', '"disease"'), "parameter-range", 2, "a list such as"
    ),
    case("a list for text", BASIC.replace('"t.csv"', '["t.csv"]'), "parameter-range", 2, "line 2"),
    case("a date for text", BASIC.replace('"t.csv"', "2020-01-01"), "parameter-range", 2, "a date"),
    case(
        "a list for the name of a source",
        SETS.replace("[source]", "[source.b]").replace("k = 2", 'k = 2\nsource = ["b"]'),
        "parameter-range",
        2,
        "'source'",
        "a list",
    ),
    case("a fraction for a hierarchy", SETS.replace('"h.csv"', "1.5"), "recipe-value", 2, "a number"),
    case("a number for a release", 'release = [1.5]\nsource.path = "t.csv"\n', "recipe-value", 2, "a number"),
    case("a blank output", BASIC.replace('"out/t"', '" "'), "parameter-range", 2, "blank text"),
    case("a table for a list of tables", BASIC.replace("[[release]]", "[release]"), "recipe-value", 2),
    case(
        "a number for the key", "key = 1\n" + BASIC.replace("[key]\nseed = 1", ""), "recipe-value", 2, "[key]"
    ),
    case("an unknown limit", BASIC + "[release.limits]\nmax_ncp = 0.1\n", "recipe-key-unknown", 2, "line 14"),
    case("a limit out of range", BASIC + "[release.limits]\nmax_posterior = 2\n", "parameter-range", 2),
    case(
        "a limit that is missed",
        BASIC + "[release.limits]\nmax_posterior = 0.1\n",
        "limit-missed",
        9,
        "line 14",
        "max_posterior = 0.1",
        "too much",
        "give max_posterior to the release itself",
    ),
    case(
        "one release of two misses its limit",
        BASIC
        + "[release.limits]\nmax_query_error = 100\n"
        + RELEASE.replace("out/t", "out/u")
        + "[release.limits]\nmax_posterior = 0.1\n",
        "limit-missed",
        9,
        "out/u",
    ),
    case("a file that is not there", BASIC.replace("t.csv", "u.csv"), "file-missing", 3, "line 2", "u.csv"),
    case("a folder for a file", BASIC.replace('"t.csv"', '"."'), "file-missing", 3, "line 2"),
    case("no such hierarchy", SETS.replace("h.csv", "i.csv"), "file-missing", 3, "line 3"),
    case(
        "no such folder of hierarchies",
        BASIC.replace("[key]", 'hierarchies = "trees"\n[key]'),
        "file-missing",
        3,
        "trees",
    ),
    case("no such file of patterns", HIDE.replace('["a, b"]', '"t.txt"'), "file-missing", 3, "'patterns'"),
    case(
        "no such file of rules",
        BASIC + '[knowledge]\nrules = "known.txt"\n',
        "file-missing",
        3,
        "line 14",
    ),
    case("no such key file", BASIC.replace("seed = 1", 'file = "k"'), "key-missing", 2, "tacit key new"),
    case("a key and a seed", BASIC.replace("seed = 1", 'seed = 1\nfile = "s.txt"'), "two-keys", 2, "line 6"),
    case("no such column", BASIC.replace('"sex"]', '"sexe"]'), "unknown-column", 2, "line 3", "'sexe'"),
    case("two roles", BASIC.replace('["disease"]', '["zip"]'), "two-roles", 2, "line 4"),
    case("no roles", BASIC.replace('quasi = ["zip", "sex"]\n', ""), "roles-missing", 2, "line 1"),
    case(
        "a hierarchy of no column",
        BASIC.replace("[key]", 'hierarchies.town = { by = "flat" }\n[key]'),
        "unknown-column",
        2,
        "'town'",
    ),
    case(
        "a hierarchy built in no way",
        SETS.replace('"h.csv"', '{ by = "balance", fanout = 2 }'),
        "recipe-choice",
        2,
        "'balanced'",
    ),
    case(
        "a hierarchy without its width",
        SETS.replace('"h.csv"', '{ by = "intervals" }'),
        "recipe-key-missing",
        2,
        "'width'",
    ),
    case(
        "intervals of words",
        SETS.replace('"h.csv"', '{ by = "intervals", width = 5 }'),
        "hierarchy-not-numbers",
        3,
    ),
    case(
        "a number for a hierarchy",
        SETS.replace('"h.csv"', "3"),
        "recipe-value",
        2,
        "line 3",
        "a file or folder",
    ),
    case(
        "a number in a list of names",
        BASIC.replace('["disease"]', '["disease", 3]'),
        "parameter-range",
        2,
        "something else in it",
    ),
    case("no hierarchy", SETS.replace('hierarchy = "h.csv"\n', ""), "hierarchy-needed", 2, "line 1"),
    case("an item that is not there", HIDE.replace("a, b", "a, q"), "unknown-item", 3, "line 9"),
    case(
        "a rule that is none",
        BASIC + '[knowledge]\nrules = ["men are well"]\n',
        "rule-malformed",
        3,
    ),
    case(
        "roles of transactions", SETS.replace("hierarchy", 'quasi = ["a"]\nhierarchy'), "parameter-unused", 2
    ),
    case(
        "a hierarchy for hiding",
        HIDE.replace('"b.dat"', '"b.dat"\nhierarchy = "h.csv"'),
        "parameter-unused",
        2,
    ),
    case(
        "an item for a table", BASIC.replace("[key]", 'item = "zip"\n[key]'), "parameter-unused", 2, "line 6"
    ),
    case("a window for the matrix", HIDE + "window = 10\n", "parameter-unused", 2, "'swa'"),
    case("restarts for apriori", SETS + "restarts = 2\n", "parameter-unused", 2, "'best'"),
    case("channels without k", RULES + 'channels = "refuse"\n', "parameter-unused", 2, "k"),
    case(
        "rows left out without a bound",
        BASIC.replace("l = 2", 'l = 2\non_infeasible = "suppress"'),
        "suppression-unbounded",
        2,
        "max_posterior_suppressed",
    ),
    case(
        "a bound for rows that are not left out",
        BASIC.replace("l = 2", "l = 2\nmax_posterior_suppressed = 0.5"),
        "parameter-unused",
        2,
        "suppress",
    ),
    case(
        "values joined for Anatomy",
        BASIC.replace("l = 2", 'l = 2\nalgorithm = "anatomy"\njoin_values = true'),
        "parameter-unused",
        2,
        "injector",
    ),
    case("rules without a limit", RULES.replace("max_posterior = 0.9", ""), "recipe-key-missing", 2),
    case("a source that is not there", BASIC + 'source = "people"\n', "recipe-source-unknown", 2, "line 13"),
    case(
        "a source that nobody uses",
        BASIC.replace("[source]", "[source.a]") + '[source.b]\npath = "b.dat"\n',
        "recipe-source-unknown",
        2,
    ),
    case(
        "a source that no release names",
        BASIC.replace("[source]", "[source.a]") + 'source = "a"\n[source.b]\npath = "b.dat"\n',
        "recipe-source-unused",
        2,
        "'b'",
    ),
    case(
        "a source read in two ways",
        BASIC + RELEASE.replace("bucketize", "hide").replace("l = 2", 'patterns = ["a"]\nmin_support = 1'),
        "recipe-source-kind",
        2,
    ),
    case("an output that is there", BASIC, "output-exists", 6, "line 12", prepare=with_output),
    case("two releases in one folder", BASIC + RELEASE, "recipe-outputs", 2, "line 16"),
    case("one release inside another", BASIC + RELEASE.replace("out/t", "out/t/u"), "recipe-outputs", 2),
    case("an output that holds the input", BASIC.replace("out/t", "."), "output-is-input", 6),
    case("an output inside a file", BASIC.replace("out/t", "t.csv/out"), "output-not-writable", 6, "line 12"),
    case("a promise out of reach", BASIC.replace("l = 2", "l = 4"), "infeasible-l", 4, "line 9"),
    case(
        "two releases of one table",
        BASIC.replace("seed = 1", "") + RELEASE.replace("out/t", "out/u"),
        "composition",
        4,
        "acknowledge_composition = true",
    ),
]
