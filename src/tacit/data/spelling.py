"""Values that only look different: two spellings of one value are never merged silently.

Twins are values that become equal once they are written in Unicode's composed form (NFC), without
zero-width characters, without spaces around them, and in one case. A privacy count that takes
``Flu`` and ``flu`` for two diseases promises more than it keeps, and one that merges what the owner
meant to be two is as wrong; so twins are refused, unless the owner says to fold or to keep them. Values that
only look alike are noted, folded with the others, and refused where they are
sensitive.
The question is asked of the distinct values of a column, or of the items of a vocabulary.

Texts that nobody can tell apart have one appearance, to compare, never to publish. ``Crohn's`` with a
typographic apostrophe, a hyphen of another kind, a ligature, full-width letters, a Cyrillic or Greek letter
in the place of a Latin one, case, blanks, what is not seen: each would make one value two. No two letters of
one alphabet are folded into one, so that its words stay apart; and ``10²`` stays apart from ``102``, ``1½``
from ``11/2``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, get_args

import numpy as np
import polars as pl

from tacit.errors import InputError, Place, Said, option, shorten
from tacit.ranges import OneOf
from tacit.typing import Codes, Counts

Twins = Literal["refuse", "fold", "keep"]
"""What the option ``twins`` may be."""
TWINS = OneOf(get_args(Twins))

ZERO_WIDTH = "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
"""Characters that are there but not seen: soft hyphens, joiners, marks of direction, byte order marks."""

WORDS_FOR_MISSING = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "none", "?")
"""Words that often stand for a missing value; taken as text unless the owner says otherwise."""


NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$"
ODD_NUMBER = r"^([+].*|[+-]?0[0-9].*|-0|[+-]?\..*|[+-]?[0-9]+\.([0-9]*0)?)$"
"""A number that could be written more shortly; a column without one spells no number twice."""

PLAINLY_ONE = r"^[-+,./:0-9a-z]*$"
"""A text in small letters, digits and these signs, without a blank: it looks like itself alone."""

FEW = 256
"""So few values are looked at one by one: asking the frame library costs more than they do."""


@dataclass(frozen=True, eq=False)
class Settled:
    """The distinct values once their spelling is settled, and what became of each of the old ones."""

    values: pl.Series
    """Sorted by their bytes; a null comes last."""
    codes: Codes | None
    """The new code of each old one, or None where nothing was merged or changed."""
    notes: tuple[str, ...] = ()


def settle_spelling(
    values: pl.Series,
    counts: Callable[[], Counts],
    *,
    twins: str,
    subject: str,
    place: Callable[[int], Place],
) -> Settled:
    """The distinct text values with their twins refused, folded or kept.

    ``values`` are sorted, a null last. ``counts`` gives their supports: folding keeps, of the
    spellings that differ in case, the most frequent one. ``subject`` names the column or vocabulary
    in messages, and ``place(code)`` says where a value is first found.
    """
    if len(values) <= FEW and _plainly_apart(values.to_list()):
        return Settled(values, None)
    texts = values.drop_nulls()
    if texts.str.contains(PLAINLY_ONE).all():
        return Settled(values, None)
    plain = _plain(texts)
    folded = _one_case(plain)
    looks = _looks(folded)
    hidden = _hidden(texts)
    if not hidden.any() and looks.n_unique() == len(texts):
        return Settled(values, None)
    if twins == "refuse":
        if hidden.any():
            raise _zero_width(texts, hidden, subject, place)
        if folded.n_unique() < len(texts):
            raise _twins_error(texts, plain, folded, subject, place)
    if twins == "fold":
        return _fold(values, plain, looks, counts(), subject)
    return Settled(values, None, (_kept_note(texts, looks, hidden, subject),))


def has_twins(values: pl.Series) -> bool:
    """Whether texts look alike, differ only in case, form or blanks, or hold what is not seen."""
    if values.dtype != pl.String or (len(values) <= FEW and _plainly_apart(values.to_list())):
        return False
    texts = values.drop_nulls()
    return bool(_hidden(texts).any()) or _looks(_one_case(_plain(texts))).n_unique() < len(texts)


def number_notes(values: pl.Series, subject: str) -> tuple[str, ...]:
    """A note where a text column spells one number in several ways: "1", "01" and "1.0" stay three values."""
    if len(values) <= FEW and not any(re.match(ODD_NUMBER, value) for value in values.to_list()):
        return ()
    odd = values.filter(values.str.contains(ODD_NUMBER))
    odd = odd.filter(odd.str.contains(NUMBER))
    short = _shortest(odd)
    # What is not odd is spelled as shortly as can be: an odd number's other twin is its shortest form.
    spelled = pl.concat([odd, values.filter(values.is_in(short.implode()))]).unique()
    frame = pl.DataFrame({"text": spelled, "number": _shortest(spelled)})
    groups = frame.group_by("number").agg("text").filter(pl.col("text").list.len() > 1)
    if groups.is_empty():
        return ()
    shown = ", ".join(map(repr, groups.sort("number").get_column("text")[0].sort().to_list()[:3]))
    return (
        f"{subject} spells numbers in more than one way ({groups.height} of them), for instance {shown};"
        " cells are text, so these are different values.",
    )


def missing_notes(values: pl.Series, subject: str) -> tuple[str, ...]:
    """A note where a text column holds words that often stand for a missing value."""
    few = len(values) <= FEW
    found = values.to_list() if few else values.filter(values.is_in(WORDS_FOR_MISSING)).to_list()
    found = [value for value in found if value in WORDS_FOR_MISSING]
    if not found:
        return ()
    shown = ", ".join(map(repr, found))
    means = f"{subject} holds {shown}, taken as text; if it means missing, name it with"
    return (Said(f"{means} {option('null_values')}."),)


def refuse_look_alikes(name: str, texts: Iterable[str | None]) -> None:
    """Refuse a sensitive column in which one value is spelled twice: it would count as two.

    Twins that were kept on purpose are refused too, and so are ``1`` and ``1.0``, an empty text and a
    missing value: a promise about different values holds for values that anybody can tell apart.
    """
    first: dict[tuple[int, str], str | None] = {}
    for text in texts:
        for look in enumerate(map(_shortest_number, appearances(text or ""))):
            other = first.setdefault(look, text)
            if other != text:
                one, another = _shown_apart(other or "", text or "")
                raise InputError(
                    f"The sensitive column {name!r} holds {one} and {another}, which look alike and would"
                    " count as two values.",
                    code="sensitive-twins",
                    where=Place(column=name, value=text),
                    hint="Write each value in one way; texts that differ in case, blanks, invisible"
                    " characters, or in signs and letters that look alike are made one by"
                    f" {option('twins', 'fold')}.",
                )


def _shortest_number(text: str) -> str:
    """A number or percentage in its shortest form, with a decimal comma too; every other text stays."""
    found = re.fullmatch(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,6})?|[+-]?\d*,\d+)(%?)", text)
    if found is None or re.fullmatch(
        r"[+-]?[1-9]\d{0,2},\d{3}", found[1]
    ):  # that comma may set thousands apart
        return text
    sign, digits, exponent = Decimal(found[1].replace(",", ".")).as_tuple()
    number = "".join(map(str, digits)).lstrip("0")
    shortest = number.rstrip("0")
    if not number:
        return f"0e{found[2]}"
    return f"{'-' if sign else ''}{shortest}e{int(exponent) + len(number) - len(shortest)}{found[2]}"


def _plainly_apart(texts: list[str | None]) -> bool:
    """Whether these are ASCII texts without twins: the common case, decided without much ado."""
    there = [text for text in texts if text is not None]
    return all(map(str.isascii, there)) and len({*map(appearance, there)}) == len(there)


def _hidden(texts: pl.Series) -> pl.Series:
    if texts.str.len_bytes().sum() == texts.str.len_chars().sum():  # ASCII has no such characters
        return pl.repeat(False, len(texts), eager=True)
    return texts.str.contains(ZERO_WIDTH)


def _plain(texts: pl.Series) -> pl.Series:
    """Each text composed (NFC), without zero-width characters and spaces around."""
    if texts.str.len_bytes().sum() != texts.str.len_chars().sum():
        texts = texts.str.replace_all(ZERO_WIDTH, "").str.normalize("NFC")
    return texts.str.strip_chars()


def _one_case(texts: pl.Series) -> pl.Series:
    """Each text in one case; upper case first, since it brings together more (ς and σ, ſ and s)."""
    if texts.str.len_bytes().sum() == texts.str.len_chars().sum():
        return texts.str.to_lowercase()
    return texts.str.to_uppercase().str.to_lowercase().str.normalize("NFC")


def _looks(texts: pl.Series) -> pl.Series:
    """What each text looks like; of ASCII texts only signs and blanks can look alike."""
    ascii_only = texts.str.len_bytes().sum() == texts.str.len_chars().sum()
    if ascii_only and not texts.str.contains(rf"[\"`\x00-\x1f\x7f]|\s\s|{BESIDE_SIGN}").any():
        return texts
    return pl.Series(texts.name, [*map(appearance, texts.to_list())], dtype=pl.String)


def _zero_width(
    texts: pl.Series, hidden: pl.Series, subject: str, place: Callable[[int], Place]
) -> InputError:
    code = int(hidden.arg_true()[0])
    return InputError(
        f"{subject} holds a value with a zero-width character, {shorten(texts[code])!a}"
        f" ({int(hidden.sum())} such values).",
        code="text-zero-width",
        where=place(code),
        hint=f"Remove the character, or use {option('twins', 'fold')} to remove them all, or twins='keep'"
        " (--twins keep).",
    )


def _twins_error(
    texts: pl.Series, plain: pl.Series, folded: pl.Series, subject: str, place: Callable[[int], Place]
) -> InputError:
    first, second = _first_pair(folded)
    composed = texts.gather([first, second]).str.normalize("NFC")
    trimmed = plain.gather([first, second])
    if composed[0] == composed[1]:
        code, difference = "text-nfc-twins", "the Unicode form of their accents (NFC)"
    elif trimmed[0] == trimmed[1]:
        code, difference = "text-space-twins", "the spaces around them"
    else:
        code, difference = "text-case-twins", "case"
    return InputError(
        f"{subject} holds {_shown(texts[first])} and {_shown(texts[second])},"
        f" which differ only in {difference}.",
        code=code,
        where=place(second),
        hint=f"Correct the data, or use {option('twins', 'fold')} to make them one value, or twins='keep'"
        " (--twins keep) to keep both.",
    )


def _first_pair(folded: pl.Series) -> tuple[int, int]:
    """The codes of two twins: the first value that has one, and the next of its spellings."""
    groups = (
        pl.DataFrame({"folded": folded, "code": np.arange(len(folded))})
        .group_by("folded")
        .agg(pl.col("code").sort())
        .filter(pl.col("code").list.len() > 1)
        .select(first=pl.col("code").list.get(0), second=pl.col("code").list.get(1))
        .sort("first")
    )
    return int(groups[0, "first"]), int(groups[0, "second"])


def _kept_note(texts: pl.Series, looks: pl.Series, hidden: pl.Series, subject: str) -> str:
    if looks.n_unique() == len(texts):
        return f"{subject} holds {int(hidden.sum())} values with zero-width characters; they are kept."
    first, second = _first_pair(looks)
    one, other = _shown_apart(texts[first], texts[second])
    return (
        f"{subject} holds values that differ only in spelling, for instance {one} and {other}; they are kept"
        " apart."
    )


def _fold(values: pl.Series, plain: pl.Series, looks: pl.Series, counts: Counts, subject: str) -> Settled:
    spelled = pl.DataFrame({"plain": plain, "folded": looks, "count": counts[: len(plain)]})
    chosen = (
        spelled.group_by("folded", "plain")
        .agg(pl.col("count").sum())
        .sort("folded", "count", "plain", descending=[False, True, False])
        .unique("folded", keep="first", maintain_order=True)
        .select("folded", value="plain")
        .sort("value")
        .with_columns(code=pl.int_range(pl.len(), dtype=pl.Int32))
    )
    codes = spelled.join(chosen, on="folded", how="left", maintain_order="left").get_column("code").to_numpy()
    settled = chosen.get_column("value").alias(values.name)
    if values.null_count():
        codes = np.append(codes, np.int32(len(settled)))
        settled = settled.extend_constant(None, 1)
    note = f"{subject}: {len(plain)} spellings were folded into {chosen.height} values."
    return Settled(settled, codes.astype(np.int32), (note,))


def _shortest(numbers: pl.Series) -> pl.Series:
    """The shortest spelling of each number: no plus sign, no needless zeros, no needless point."""
    return (
        numbers.str.replace(r"^\+", "")
        .str.replace(r"^(-?)0+([0-9])", "$1$2")
        .str.replace(r"^(-?)\.", "${1}0.")
        .str.replace(r"(\.[0-9]*?)0+$", "$1")
        .str.replace(r"\.$", "")
        .replace("-0", "0")
    )


def _shown_apart(one: str, other: str) -> tuple[str, str]:
    """Two values that look alike, escaped unless case sets them apart."""
    show = _shown if one.casefold() == other.casefold() else lambda text: ascii(shorten(text))
    return show(one), show(other)


def _shown(text: str) -> str:
    """The value in quotes, escaped where its print would hide what sets it apart."""
    visible = text.isprintable() and unicodedata.is_normalized("NFC", text)
    return repr(shorten(text)) if visible else ascii(shorten(text))


UNSEEN = (
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\uffa0\ufe00-\ufe0f\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
"""Characters that print as nothing or as a blank, beside those that Unicode lists as such."""

HIDDEN = ("Cc", "Cf", "Cn", "Co", "Cs")
"""Categories of characters that say nothing: controls, formats, unassigned, private, surrogates."""

_RAISED = "²³¹⁰⁴-⁾₀-₎①-⓿❶-➓"
_BORDER = re.compile(rf"(?<=\d)(?=[{_RAISED}])|(?<=[{_RAISED}])(?=\d)")
"""Between a digit and one that is raised, lowered or in a circle."""
_BEFORE_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅟↉])")

BESIDE_SIGN = r" [!-/:-@\[-`{-~°€£¥§±×÷≤≥·]|[!-/:-@\[-`{-~°€£¥§±×÷≤≥·] "
"""A blank beside a sign: it tells nothing, as in ``5 %``, ``< 5`` and ``A / B``."""

_SIGNS = {
    ord(sign): plain
    for plain, signs in {
        "'": "‘’‛′‵ʹʻʼʽʾʿˈ`´׳ꞌꞋ",
        "''": '"“”„‟″‶״',
        "-": "‐‑‒–—―−⁃˗֊־",
        "·": "•‧∙⋅",
        "/": "⁄∕",
        ":": "∶ː꞉",
        "*": "∗",
        "~": "∼˜",
        ",": "‚",
        "c": "ϲϹ",
    }.items()
    for sign in signs
}
_LETTERS = _SIGNS | str.maketrans(
    "αγικνορυχητϳ" + "асеԁһіјкорԛѕуԝхӏѵ" + "օɑɡ" + "ɢɪɴʀʏʙʜʟᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜰꜱꞯ",
    "ayikvopuxntj" + "acedhijkopqsywxlv" + "oag" + "ginrybhlacdejkmoptuvwzfsq",
)
"""Signs, and small letters that look like Latin ones: Greek, Cyrillic, Armenian, phonetic, small capitals."""
_CAPITALS = str.maketrans("ΒΕΖΗΜΝΤΥ" + "ВНМТӀ" + "ΓҺ", "BEZHMNTY" + "BHMTI" + "\u2c84\u2c67")
"""Capitals that look like Latin ones although their small letters do not, or look like others.

Two look like no Latin one, though their small letters do: they become letters that nothing looks like.
"""


def appearance(text: str) -> str:
    """A text as it looks, in one case and with single blanks.

    >>> appearance("Crohn’s") == appearance("CROHN'S "), appearance("маска") == appearance("Маска")
    (True, True)
    """
    if text.isascii() and text.isprintable():
        return _closed(" ".join(text.replace('"', "''").replace("`", "'").lower().split()))
    apart = _BEFORE_FRACTION.sub(" ", _BORDER.sub("^", text))
    folded = unicodedata.normalize("NFKD", apart.translate(_SIGNS)).casefold()
    folded = unicodedata.normalize("NFKD", folded).translate(_LETTERS)
    spaced = "".join(" " if letter.isspace() else letter for letter in re.sub(UNSEEN, "", folded))
    shown = "".join(letter for letter in spaced if unicodedata.category(letter) not in HIDDEN)
    return _closed(" ".join(shown.split()))


def _closed(text: str) -> str:
    """A text without the blanks beside its signs; of two signs both blanks go."""
    if " " in text:
        while (shorter := re.sub(BESIDE_SIGN, lambda found: found[0].strip(), text)) != text:
            text = shorter
    return text


def appearances(text: str) -> tuple[str, str]:
    """A text as it looks, and as it looks if its capitals are Latin: a twin looks the same in either way.

    >>> appearances("ΝΟΤ")[1] == appearance("not"), appearances("ΝΟΤ")[0] == appearance("νοτ")
    (True, True)
    """
    return appearance(text), appearance(unicodedata.normalize("NFD", text).translate(_CAPITALS))
