"""What people are told of the options that both readers have."""

from __future__ import annotations

from tacit.options import Says

FORMAT = Says("Format", "Format of the data where the file name does not tell.")
HEADER = Says(
    "The first line names columns",
    "Whether the first line names columns; in a table it does by default, in a basket file it does not.",
    values=(("", "as usual"), ("yes", "yes"), ("no", "no")),
)
DELIMITER = Says(
    "Delimiter", r"Field delimiter, by default the one the text shows; \t is a tab.", empty="found"
)
ENCODING = Says("Encoding", "Text encoding, by default the one the bytes show.", empty="found")
TWINS = Says(
    "Values that differ only in case or invisible characters",
    "Values that differ only in case, spelling form or invisible characters: refuse, fold or keep.",
    values=(("refuse", "are refused"), ("fold", "are one value"), ("keep", "are different values")),
)
TABLE = Says("Table of a database", "Table to read from a database.")
QUERY = Says("Query", "Query to read from a database.")
