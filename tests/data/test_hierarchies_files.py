"""Hierarchy files: what one tool writes is read as it was meant, and what is written comes back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.data.hierarchy import NULL_LABEL, Hierarchy, from_parents
from tacit.io.hierarchies import (
    fill_ranges,
    hierarchy_text,
    read_hierarchies,
    read_hierarchy,
    write_hierarchy,
)
from tacit.io.hierarchies.amnesia import read_amnesia, read_amnesia_json
from tacit.io.hierarchies.delimited import read_arx, read_edges
from tacit.io.hierarchies.files import _format_of
from tests.oracles import trees as oracle
from tests.strategies.trees import PLAIN_LABELS, RandomTree, trees


def _links(hierarchy: Hierarchy) -> dict[str, str]:
    labels = hierarchy.labels
    return {labels[node]: labels[parent] for node, parent in enumerate(hierarchy.parents) if parent >= 0}


def _same(one: Hierarchy, other: Hierarchy) -> bool:
    return one.labels == other.labels and one.parents.tolist() == other.parents.tolist()


@given(trees(least=2))
def test_arx_gives_back_what_was_written(tree: RandomTree) -> None:
    written = from_parents(tree.parents, root=tree.root)
    text = hierarchy_text(written, format="arx")
    assert _same(read_arx(text, file="h", delimiter=";", name=None), written)


@given(trees())
def test_edges_give_back_what_was_written(tree: RandomTree) -> None:
    written = from_parents(tree.parents, root=tree.root)
    text = hierarchy_text(written, format="edges")
    assert _same(read_edges(text, file="h", delimiter=",", name=None), written)


@given(trees(least=3), st.sampled_from(["arx", "edges"]))
def test_written_files_are_recognized(tree: RandomTree, format: str) -> None:
    written = from_parents(tree.parents, root=tree.root)
    text = hierarchy_text(written, format=format)
    # An ARX file of two columns is an edge list as well: the same tree either way.
    one_level = int(written.heights[written.root]) == 1
    assert _format_of(text, "h") == ("edges" if one_level else format)


@given(trees(labels=PLAIN_LABELS, least=2))
def test_both_forms_of_amnesia_hold_the_tree(tree: RandomTree) -> None:
    wanted = from_parents(tree.parents, root=tree.root)
    levels: dict[int, dict[str, list[str]]] = {}
    for node in [tree.root, *tree.parents]:
        below = oracle.children(tree.parents, node)
        if below:
            levels.setdefault(oracle.depth(tree.parents, node) + 1, {})[node] = below
    blocks = [
        "\n".join(f"{parent} has {' '.join(below)} " for parent, below in levels[level].items())
        for level in sorted(levels, reverse=True)
    ]
    head = f"distinct\nname attribute one\ntype string\nheight {len(levels) + 1}\n\n"
    found = read_amnesia(head + "\n\n".join(blocks) + "\n", file="h", name=None)
    assert found.name == "attribute one"
    document = {"hierType": "distinct", "name": "x", "type": "string", "height": len(levels) + 1}
    document |= {f"level{level}": levels[level] for level in sorted(levels)}
    again = read_amnesia_json(json.dumps(document), file="h", name=None)
    assert _same(found, wanted) and _same(again, wanted)


def _read(folder: Path, content: str | bytes, **options: str) -> Hierarchy:
    path = folder / "h.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_hierarchy(path, **options)


TREE = {"flu": "lung", "asthma": "lung", "lung": "*", "ulcer": "stomach", "stomach": "*"}


@pytest.mark.parametrize(
    "content",
    [
        "flu;lung;*\nasthma;lung;*\nulcer;stomach;*\n",
        'flu,lung,*\n"asthma",lung,*\r\nulcer,stomach,*',
        "flu\tlung\t*\r\nasthma\tlung\t*\r\n\r\nulcer\tstomach\t*",
        "\ufeffflu;lung;*\rasthma;lung;*\rulcer;stomach;*\r",
        "child,parent\nflu,lung\nasthma,lung\nlung,*\nulcer,stomach\nstomach,*\n*,\n",
        "Child;Parent\nstomach;*\nflu;lung\nasthma;lung\nlung;*\nulcer;stomach\nulcer;stomach\n",
        "flu,lung\nasthma,lung\nlung,*\nulcer,stomach\nstomach,*\n",
        "distinct\nname ward\ntype string\nheight 3\n\n"
        "lung has flu asthma \nstomach has ulcer \n\n* has lung stomach \n\n",
        '{"hierType":"distinct","name":"ward","type":"string","height":3,\n"level1":{"*":["lung","stomach"]},\n'
        '"level2":{"lung":["flu","asthma"],"stomach":["ulcer"]}}',
    ],
)
def test_every_format_is_recognized(content: str, tmp_path: Path) -> None:
    hierarchy = _read(tmp_path, content)
    assert _links(hierarchy) == TREE
    assert hierarchy.name == ("ward" if "ward" in content else "h")


def test_labels_may_hold_delimiters_quotes_and_line_ends(tmp_path: Path) -> None:
    hierarchy = _read(tmp_path, '"a;b";"say ""x""";"*"\n"two\nlines";"say ""x""";*\n')
    assert hierarchy.labels == ("a;b", "two\nlines", 'say "x"', "*")


def test_arx_repeats_a_label_upwards_where_depth_is_uneven(tmp_path: Path) -> None:
    hierarchy = _read(tmp_path, "a;a;*\nb;g;*\nc;g;*\nd;*;*\n")
    assert _links(hierarchy) == {"a": "*", "b": "g", "c": "g", "g": "*", "d": "*"}
    assert hierarchy.depths[: hierarchy.n_leaves].tolist() == [1, 2, 2, 1]


def test_a_range_of_whole_numbers_holds_them(tmp_path: Path) -> None:
    text = "range\nname age\ntype int\nheight 2\n\n0,6 has 0.0,3.0 3.0,6.0 NaN,NaN \n"
    hierarchy = _read(tmp_path, text)
    assert hierarchy.labels == ("0", "1", "2", "3", "4", "5", "6", NULL_LABEL, "0.0,3.0", "3.0,6.0", "0,6")
    assert hierarchy.leaf_counts[-3:].tolist() == [3, 4, 8]


def test_ranges_of_decimals_are_filled_with_the_values_of_the_data(tmp_path: Path) -> None:
    hierarchy = _read(
        tmp_path, '{"hierType":"range","name":"dose","type":"double","level1":{"0,2":["0,1","1,2"]}}'
    )
    assert hierarchy.labels == ("0,1", "1,2", "0,2")
    filled = fill_ranges(hierarchy, ["1", "0.5", None, "2", "1.0"])
    assert _links(filled) == {"0.5": "0,1", "1": "1,2", "1.0": "1,2", "2": "1,2", "0,1": "0,2", "1,2": "0,2"}
    with pytest.raises(tacit.InputError, match="in no range") as caught:
        fill_ranges(hierarchy, ["2.5", "x"])
    assert caught.value.code == "hierarchy-missing-leaf"


def test_ranges_of_dates_stay_labels(tmp_path: Path) -> None:
    text = "range\nname born\ntype date\nheight 2\n\n2000,2010 has 2000,2005 2005,2010\n"
    assert _read(tmp_path, text).n_leaves == 2


def test_json_numbers_stay_as_they_are_written(tmp_path: Path) -> None:
    hierarchy = _read(tmp_path, '{"level1":{"all":[1, 1.0, 1e3, null]}}')
    assert hierarchy.labels == ("1", "1.0", "1e3", NULL_LABEL, "all")


def test_json_errors_name_the_line_of_the_label(tmp_path: Path) -> None:
    text = '{"name": "x",\n"level1": {"r": ["a", "b"]},\n"level2": {"a": ["c"],\n"b": ["d",\n"c"]}}'
    with pytest.raises(tacit.InputError) as caught:
        _read(tmp_path, text)
    assert caught.value.where is not None
    assert (caught.value.code, caught.value.where.line, caught.value.where.value) == (
        "hierarchy-two-parents",
        5,
        "c",
    )


def test_a_format_may_be_named(tmp_path: Path) -> None:
    assert _read(tmp_path, "only\n", format="arx").labels == ("only",)
    with pytest.raises(tacit.ParameterError):
        _read(tmp_path, "a;b\n", format="excel")


def test_compressed_files_are_read_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "ward.csv.gz"
    path.write_bytes(gzip.compress(b"flu;lung;*\n"))
    assert read_hierarchy(path).name == "ward"


def test_a_folder_holds_one_file_for_each_attribute(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("1;0-4;*\n")
    (tmp_path / "ward.txt").write_text("distinct\nname other\n\n* has a b\n")
    (tmp_path / "README.md").write_text("not a hierarchy")
    found = read_hierarchies(tmp_path, ["ward", "sex", "age"])
    assert list(found) == ["ward", "age"]
    assert found["ward"].name == "ward"
    (tmp_path / "age.json").write_text("{}")
    with pytest.raises(tacit.UsageError) as caught:
        read_hierarchies(tmp_path, ["age"])
    assert caught.value.code == "hierarchy-ambiguous"
    with pytest.raises(tacit.InputError) as missing:
        read_hierarchies(tmp_path / "nowhere", ["age"])
    assert missing.value.code == "folder-missing"


def test_writing_is_whole_and_never_over_a_file_by_accident(tmp_path: Path) -> None:
    hierarchy = from_parents(TREE)
    path = tmp_path / "new" / "h.csv"
    write_hierarchy(hierarchy, path)
    assert _links(read_hierarchy(path)) == TREE
    with pytest.raises(tacit.OutputError) as caught:
        write_hierarchy(hierarchy, path, format="edges")
    assert caught.value.code == "output-exists"
    write_hierarchy(hierarchy, path, format="edges", overwrite=True)
    assert path.read_text().startswith("child,parent\n")
    assert [entry.name for entry in path.parent.iterdir()] == ["h.csv"]
    with pytest.raises(tacit.OutputError):
        write_hierarchy(hierarchy, tmp_path, overwrite=True)


def test_what_no_file_can_hold_is_refused() -> None:
    with pytest.raises(tacit.InputError) as caught:
        hierarchy_text(from_parents({"": "*", "a": "*"}))
    assert caught.value.code == "hierarchy-empty-label"
    n = 20_000
    deep = {f"n{node}": f"n{node + 1}" for node in range(n)} | {
        f"l{node}": f"n{node}" for node in range(1, n)
    }
    with pytest.raises(tacit.ResourceError) as large:
        hierarchy_text(from_parents(deep), format="arx")
    assert large.value.code == "hierarchy-too-large"
    assert hierarchy_text(from_parents(deep), format="edges").count("\n") == 2 * n


def test_a_long_chain_is_read_and_written(tmp_path: Path) -> None:
    n = 20_000  # the bad inputs have one of a hundred thousand
    chain = _read(tmp_path, "".join(f"n{node},n{node + 1}\n" for node in range(n)))
    assert chain.heights[chain.root] == n
    assert _same(_read(tmp_path, hierarchy_text(chain, format="arx")), chain)
    assert _same(_read(tmp_path, hierarchy_text(chain, format="edges")), chain)


def test_the_hierarchies_of_adult(public_data: Path) -> None:
    names = ["age", "workclass", "education", "marital-status", "race", "sex", "occupation"]
    found = read_hierarchies(public_data / "adult" / "hierarchies", names)
    levels = {name: int(hierarchy.heights[hierarchy.root]) + 1 for name, hierarchy in found.items()}
    assert levels == {
        "age": 5, "workclass": 3, "education": 4, "marital-status": 3, "race": 2, "sex": 2, "occupation": 3
    }  # fmt: skip
    assert found["age"].n_leaves == 100
    assert found["age"].intervals is not None


def test_a_leaf_and_a_group_of_one_name_are_refused_with_the_line(public_data: Path, tmp_path: Path) -> None:
    lines = (public_data / "groceries" / "Groceries_items.csv").read_text().splitlines()[1:]
    with pytest.raises(tacit.InputError) as caught:
        _read(tmp_path, "".join(line.split(",", 1)[1] + ",*\n" for line in lines))
    assert caught.value.code == "hierarchy-label-levels"
    assert caught.value.where is not None and caught.value.where.line is not None
    assert "(group)" in (caught.value.hint or "")
