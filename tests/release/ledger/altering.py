"""The same people in another file, in thirty ways; and people drawn anew from the same generators."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl

Altered = Callable[[pl.DataFrame], pl.DataFrame]


def patients(n: int, seed: int) -> pl.DataFrame:
    """A hospital's table: text, whole numbers, fractions and dates."""
    draw = np.random.default_rng(seed)
    age = draw.integers(0, 95, n)
    born = [
        date(2024 - int(years), 1, 1) + timedelta(int(days))
        for years, days in zip(age, draw.integers(0, 365, n), strict=True)
    ]
    diseases = ["Flu", "Cold", "Peptic ulcer", "Gout", "Asthma", "Crohn’s disease"]
    return pl.DataFrame(
        {
            "zip": draw.choice([f"{code:05d}" for code in range(1010, 1070)], n),
            "age": age,
            "sex": draw.choice(["Male", "Female"], n),
            "born": born,
            "disease": draw.choice(diseases, n, p=[0.3, 0.25, 0.15, 0.1, 0.1, 0.1]),
            "cost": np.round(draw.gamma(2, 500, n) + 1000, 2),
        }
    )


def citizens(n: int, seed: int) -> pl.DataFrame:
    """A coarse table with dependent columns, in which many people look alike."""
    draw = np.random.default_rng(seed)
    age = draw.choice(4, n, p=[0.2, 0.3, 0.3, 0.2])
    return pl.DataFrame(
        {
            "region": draw.choice(["north", "south", "east", "west"], n),
            "age": np.array(["0-17", "18-39", "40-64", "65+"])[age],
            "school": np.array(list("abcdef"))[np.minimum(5, age + draw.integers(0, 3, n))],
            "sex": draw.choice(["m", "f"], n),
            "job": draw.choice([f"job {number}" for number in range(12)], n),
        }
    )


def answers(n: int, seed: int) -> pl.DataFrame:
    """A survey: yes and no, to questions that are answered nearly alike."""
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {f"q{place}": (draw.random(n) < 0.3 + 0.03 * place).astype(int) for place in range(12)}
    )


def staff(n: int, seed: int) -> pl.DataFrame:
    """A table with row numbers, which two tables have in common whoever is in them."""
    draw = np.random.default_rng(seed)
    numbers = {"row": np.arange(1, n + 1), "number": 5000 + draw.permutation(n)}
    return pl.DataFrame(
        numbers
        | {
            "age": draw.integers(18, 66, n),
            "ward": draw.choice(["a", "b", "c"], n),
            "years": draw.integers(0, 30, n),
        }
    )


def baskets(n: int, seed: int) -> list[list[str]]:
    """Baskets of items with whole numbers for names, short ones and long ones."""
    draw = np.random.default_rng(seed)
    return [sorted({str(item) for item in draw.zipf(1.5, draw.integers(1, 9)) % 300}) for _ in range(n)]


def _text(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.cast(pl.String)


def _renamed(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.rename({name: f"Spalte {place}" for place, name in enumerate(frame.columns)})


def _reordered(frame: pl.DataFrame) -> pl.DataFrame:
    names = list(frame.columns)
    random.Random(1).shuffle(names)
    return frame.select(names)


def _dated(how: str) -> Altered:
    return lambda frame: frame.with_columns(pl.col(pl.Date).dt.strftime(how))


def _less(share: float) -> Altered:
    return lambda frame: frame.sample(fraction=1 - share, seed=2, shuffle=True)


def _more(share: float) -> Altered:
    return lambda frame: pl.concat([patients(round(share * len(frame)), 99), frame])


def _grouped(frame: pl.DataFrame) -> pl.DataFrame:
    whole = pl.col("cost").floor().cast(pl.Int64)
    thousands = pl.format("{},{}", whole // 1000, (whole % 1000).cast(pl.String).str.zfill(3))
    cents = ((pl.col("cost") * 100).round().cast(pl.Int64) % 100).cast(pl.String).str.zfill(2)
    return frame.with_columns(cost=pl.format("{}.{}", thousands, cents))


def _commas(frame: pl.DataFrame) -> pl.DataFrame:
    cost = pl.col("cost").cast(pl.String).str.replace(".", ",", literal=True)
    return frame.with_columns(cost=cost, age=pl.col("age").cast(pl.String) + ",0")


def _everything(frame: pl.DataFrame) -> pl.DataFrame:
    fewer = _more(0.1)(_less(0.1)(frame)).drop("sex")
    spelled = _text(_dated("%d.%m.%Y")(fewer)).with_columns(pl.all().str.to_uppercase())
    return _renamed(_reordered(spelled.with_columns(pl.all() + " ")))


ALTERATIONS: dict[str, Altered] = {
    "one column renamed": lambda frame: frame.rename({"zip": "PLZ"}),
    "all columns renamed": _renamed,
    "reordered columns": _reordered,
    "renamed and reordered": lambda frame: _renamed(_reordered(frame)),
    "a dropped column": lambda frame: frame.drop("zip"),
    "two dropped columns": lambda frame: frame.drop("born", "age"),
    "no fraction and no date": lambda frame: frame.drop("cost", "born"),
    "two new columns": lambda frame: frame.with_columns(
        pl.lit("x").alias("source"), pl.col("age").reverse().alias("rank")
    ),
    "upper case": lambda frame: _text(frame).with_columns(pl.all().str.to_uppercase()),
    "lower case": lambda frame: _text(frame).with_columns(pl.all().str.to_lowercase()),
    "trailing blanks": lambda frame: _text(frame).with_columns(pl.all() + "  "),
    "blanks inside": lambda frame: frame.with_columns(pl.col("disease").str.replace_all(" ", "   ")),
    "invisible characters": lambda frame: frame.with_columns(pl.col("disease", "sex") + "\u200b"),
    "full width": lambda frame: frame.with_columns(
        pl.col("sex").replace({"Male": "Ｍａｌｅ", "Female": "Ｆｅｍａｌｅ"})
    ),
    "34.0 for 34": lambda frame: frame.with_columns(pl.col("age").cast(pl.Float64)),
    "34,0 for 34": _commas,
    "034 for 34": lambda frame: frame.with_columns(pl.col("age").cast(pl.String).str.zfill(3)),
    "1010 for 01010": lambda frame: frame.with_columns(pl.col("zip").cast(pl.Int64)),
    "1,234.50 for 1234.5": _grouped,
    "05.03.2024": _dated("%d.%m.%Y"),
    "03/05/2024": _dated("%m/%d/%Y"),
    "5 Mar 2024": _dated("%-d %b %Y"),
    "2024-03-05 00:00:00": _dated("%Y-%m-%d 00:00:00"),
    "1 % removed": _less(0.01),
    "5 % removed": _less(0.05),
    "20 % removed": _less(0.2),
    "1 % added": _more(0.01),
    "20 % added": _more(0.2),
    "20 % removed, 20 % added": lambda frame: _more(0.2)(_less(0.2)(frame)),
    "much of this at once": _everything,
}

FILES: dict[str, Callable[[pl.DataFrame, Path], Path]] = {
    "semicolons": lambda frame, path: _written(frame.write_csv, path / "x.csv", separator=";"),
    "tabs": lambda frame, path: _written(frame.write_csv, path / "x.tsv", separator="\t"),
    "Parquet": lambda frame, path: _written(frame.write_parquet, path / "x.parquet"),
    "Excel": lambda frame, path: _written(frame.write_excel, path / "x.xlsx"),
}


def _written(write: Callable[..., object], file: Path, **how: str) -> Path:
    write(file, **how)
    return file
