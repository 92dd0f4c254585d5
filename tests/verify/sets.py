"""Generalized releases as folders, written plainly: for the verifier's tests."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tacit.data.transactions import Transactions
from tacit.methods.generalize_sets.figures import stated_utility
from tacit.methods.generalize_sets.solve.cut import cut_tree
from tacit.methods.generalize_sets.solve.plan import Plan
from tacit.methods.generalize_sets.utility import measure_sets
from tests.verify.figures import grid


def files_of(data: Transactions, plan: Plan) -> dict[str, bytes]:
    """The published text of a plan: a line a record, and what each item is published as."""
    published = plan.apply(data)
    lines = [
        " ".join(published.vocabulary[item] for item in published.items[start:end])
        for start, end in zip(published.indptr[:-1], published.indptr[1:], strict=True)
    ]
    mapping = io.StringIO()
    writer = csv.writer(mapping, lineterminator="\n")
    writer.writerow(["item", "published_as"])
    writer.writerows(sorted(plan.cut.mapping.items()))
    return {
        "transactions.dat": "".join(line + "\n" for line in lines).encode(),
        "mapping.csv": mapping.getvalue().encode(),
    }


def manifest_of(data: Transactions, plan: Plan) -> dict[str, Any]:
    """The manifest of a plan's release, as plain values, without its files."""
    records = len(data) - plan.n_suppressed
    return {
        "format": "tacit-release",
        "format_version": 2,
        "kind": "generalized",
        "method": "k^m-anonymity by global recoding",
        "parameters": {
            "k": plan.k,
            "m": plan.m,
            "suppressed": plan.n_suppressed,
            "algorithm": plan.algorithm,
            "transactions": "transactions.dat",
        },
        "promise": {"k": plan.k, "m": plan.m, "records": records},
        "reader": {"known_items": plan.m},
        "risks": {
            "records": records,
            "narrowed": [
                {"knows": knows, "below_k": 0.0, "to_one": 0.0, "records": records, "error": 0.0}
                for knows in (
                    *(f"{plan.m + more} items" for more in (1, 2, 3)),
                    "the whole record",
                    f"{'1 item' if plan.m == 1 else f'{plan.m} items'} and one absence",
                    "what is in the record and what is not",
                )
            ],
            "diversity": None,
            "leaf_guessing": None,
            "grid": grid("generalized", "risks"),
        },
        "utility": {
            **stated_utility(measure_sets(data, plan.cut.mapping, plan.cut.hierarchy).to_dict()),
            "ncp": float(f"{plan.ncp:.2g}"),
            "cut": [asdict(node) for node in cut_tree(plan.cut)],
        },
        "verification": {"extent": "full"},
        "versions": {"tacit": "0"},
        "not_for_publication": False,
    }


def write_release(folder: Path, manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Write a release whose manifest states the files as they are, whatever they hold."""
    folder.mkdir(exist_ok=True)
    stated = {}
    for name, content in files.items():
        (folder / name).write_bytes(content)
        stated[name] = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    text = json.dumps({**manifest, "files": stated}, ensure_ascii=False, sort_keys=True, indent=2) + "\n"
    (folder / "release.json").write_text(text, encoding="utf-8")
