"""Secrets and parameters of hiding as people hand them in."""

from __future__ import annotations

from pathlib import Path

import tacit
from tests.bad_input.case import Case

BASKETS = b"beer chips\nbeer chips\nbeer chips milk\nmilk\ntea\n"
SECRET = b"beer, chips\n"


def case(
    name: str,
    code: str | None,
    *,
    exit_code: int = 0,
    secret: bytes | None = SECRET,
    says: tuple[str, ...] = (),
    **asked: str,
) -> Case:
    """A case in which the library and the command line are asked for the same."""
    options = {"min_support": "2", **asked}
    flags = tuple(
        part for option, value in options.items() for part in (f"--{option.replace('_', '-')}", value)
    )

    def call(folder: Path) -> object:
        values = {option: _value(option, text) for option, text in options.items()}
        return tacit.hide(
            tacit.read_transactions(folder / "baskets.dat"),
            patterns=folder / "secret.txt",
            key=tacit.Key.from_seed(1),
            **values,
        )

    files = {"baskets.dat": BASKETS} | ({} if secret is None else {"secret.txt": secret})
    command = ("hide", "baskets.dat", "--patterns", "secret.txt", "--seed", "1", *flags)
    return Case(f"hide: {name}", call, command, code, exit_code, files, says)


def _value(option: str, text: str) -> object:
    if option in ("algorithm", "policy", "targets"):
        return text
    return int(text) if text.lstrip("-").isdigit() else float(text)


CASES = [
    case("a pattern that is frequent", None),
    case("a pattern that is infrequent already", None, secret=b"beer, milk\n"),
    case(
        "a pattern named twice, with a comment and a byte order mark",
        None,
        secret=b"\xef\xbb\xbf# a\nbeer chips\nchips,beer\n",
    ),
    case("a support above the number of transactions", None, min_support="99"),
    case("a support of one", None, min_support="1"),
    case("no pattern at all", "pattern-malformed", exit_code=3, secret=b"# nothing\n\n"),
    case("an empty file of patterns", "pattern-malformed", exit_code=3, secret=b""),
    case("an unknown item", "unknown-item", exit_code=3, secret=b"beer, bear\n", says=("'bear'", "1")),
    case("a rule without a left side", "pattern-empty", exit_code=3, secret=b"=> chips\n"),
    case("a rule without a right side", "pattern-empty", exit_code=3, secret=b"beer =>\n"),
    case("an item on both sides", "rule-sides", exit_code=3, secret=b"beer => beer\n"),
    case("a file of patterns that is not there", "patterns-unreadable", exit_code=3, secret=None),
    case("a file of patterns in another encoding", "patterns-unreadable", exit_code=3, secret=b"b\xe8er\n"),
    case("a support of zero", "parameter-range", exit_code=2, min_support="0", says=("'min_support'",)),
    case("a support share above one", "parameter-range", exit_code=2, min_support="1.5"),
    case("a negative support", "parameter-range", exit_code=2, min_support="-3"),
    case("a confidence of one", "parameter-range", exit_code=2, confidence="1.0"),
    case("a confidence of zero", "parameter-range", exit_code=2, confidence="0.0"),
    case("an unknown method", "parameter-range", exit_code=2, algorithm="magic"),
    case("an unknown policy", "parameter-range", exit_code=2, policy="hope"),
    case("unknown targets", "parameter-range", exit_code=2, targets="low"),
    case("fewer decoys than none", "parameter-range", exit_code=2, decoys="-1", says=("'decoys'",)),
    case("half a decoy", "parameter-range", exit_code=2, decoys="0.5"),
    case("more decoys than there are patterns", "decoys-few", exit_code=4, decoys="3", says=("0 decoys",)),
    case("a window of nothing", "parameter-range", exit_code=2, window="0", algorithm="swa"),
    case("a disclosure above one", "parameter-range", exit_code=2, disclosure="1.1", algorithm="swa"),
    case(
        "a disclosure that hides nothing",
        "not-hidden",
        exit_code=4,
        disclosure="1.0",
        algorithm="swa",
        says=("largest",),
    ),
]
