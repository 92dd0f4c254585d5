"""The check of the documentation site finds what it is there to find; ``make docs`` runs it on the site."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parent.parent / "docs" / "check_site.py"


@pytest.fixture(scope="module")
def check() -> object:
    spec = importlib.util.spec_from_file_location("check_site", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "outside",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/css">',
        '<img src="http://pictures.example/x.png">',
        '<p style="background: url(https://pictures.example/x.png)">',
        "<style>@import 'https://fonts.example/css';</style>",
    ],
)
def test_what_is_fetched_is_found(check, tmp_path: Path, outside: str) -> None:
    (tmp_path / "index.html").write_text(f"<html><body>{outside}</body></html>")
    assert len(check.outside_assets(tmp_path)) == 1


def test_styles_are_read_too(check, tmp_path: Path) -> None:
    (tmp_path / "x.css").write_text("@font-face { src: url('https://fonts.example/x.woff2') }")
    assert [address for _, address in check.outside_assets(tmp_path)] == ["https://fonts.example/x.woff2"]


def test_links_and_own_files_are_fine(check, tmp_path: Path) -> None:
    own = '<a href="https://example.org">there</a><img src="../x.png"><link href="_static/x.css">'
    (tmp_path / "index.html").write_text(own)
    assert check.outside_assets(tmp_path) == []
