"""Spoiled files: a file of the corpus, changed in a few places as accidents and malice change files."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

PIECES = (
    *(b'"', b"'", b",", b";", b"\t", b"|", b" ", b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xfe\xff", b"\\"),
    *(b"\xef\xbb\xbf", "é".encode(), "e\u0301".encode(), "\u200b".encode(), "\u2028".encode(), b"\x1a", b"#"),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b"=",
        b"=>",
        b"&",
        b"(",
        b")",
        b"*",
        b"@",
        b"%",
        b"@ITEM=",
        b" has ",
        b"-",
    ),
    *(
        b"0",
        b"-1",
        b"1.0",
        b"01",
        b"1e999",
        b"NaN",
        b"inf",
        b"null",
        b"true",
        b"9" * 25,
        b"-9223372036854775809",
    ),
    *(
        b"0.5",
        b"1/0",
        b"not ",
        b"P(",
        b"beer",
        b"a" * 5000,
        b"[" * 2000,
        b'{"a":' * 1500,
        b"\\u0000",
        b"\\ud800",
    ),
)
"""What readers trip over."""


@st.composite
def spoiled(draw: st.DrawFn, corpus: Sequence[bytes]) -> bytes:
    """A file of the corpus with up to five changes."""
    content = draw(st.sampled_from(corpus))
    for _ in range(draw(st.integers(1, 5))):
        first = draw(st.integers(0, len(content)))
        last = min(len(content), first + draw(st.integers(0, 12)))
        change = draw(
            st.sampled_from(["insert", "replace", "cut", "repeat", "end", "flip", "lines", "other"])
        )
        if change == "insert":
            content = content[:first] + draw(st.sampled_from(PIECES)) + content[first:]
        elif change == "replace":
            content = content[:first] + draw(st.sampled_from(PIECES)) + content[last:]
        elif change == "cut":
            content = content[:first] + content[last:]
        elif change == "repeat":
            content = content[:last] + content[first:]
        elif change == "end":
            content = content[:first]
        elif change == "flip" and first < len(content):
            flipped = content[first] ^ (1 << draw(st.integers(0, 7)))
            content = content[:first] + bytes([flipped]) + content[first + 1 :]
        elif change == "lines":
            lines = content.splitlines(keepends=True)
            content = b"".join(draw(st.permutations(lines))) if len(lines) < 40 else content
        elif change == "other":
            content = content[:first] + draw(st.sampled_from(corpus))[first:]
    return content
