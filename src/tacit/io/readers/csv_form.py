"""How comma-separated text is to be read."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.errors import ParameterError
from tacit.ranges import Whole, check

LONGEST = 1 << 20
"""The most bytes a cell may have: a longer one is a quote that was never closed, or no table."""


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How a text is to be read; the separator None is the one that belongs to the format."""

    header: bool = True
    columns: tuple[str, ...] | None = None
    delimiter: str | None = None
    encoding: str = "utf-8"
    quote: str | None = '"'
    skip_rows: int = 0
    skip_initial_space: bool = False

    def __post_init__(self) -> None:
        check("read_table", {"skip_rows": Whole(0)}, skip_rows=self.skip_rows)
        for name in ("delimiter", "quote"):
            sign = getattr(self, name)
            if sign is not None and not (len(sign) == 1 and sign.isascii() and sign not in "\r\n\0"):
                raise ParameterError(name, "read_table", "one ASCII character, not a line end", sign)
        if self.quote is not None and self.quote == self.delimiter:
            raise ParameterError(
                "delimiter", "read_table", "another character than the quote", self.delimiter
            )
