"""Values that look alike: two spellings of one value never count as two values.

What a person cannot tell apart (an invisible character, another kind of blank, hyphen or apostrophe, the
width or the Unicode form of a letter, a Greek or Cyrillic letter for a Latin one) or would not take for
another value (case; ``5%`` and ``5 %``; ``1``, ``01`` and ``1.0``; ``1,5`` and ``1.5``) is one value. But
``10²`` is not ``102``, nor is ``1½`` the same as ``11/2``.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache
from typing import Any

from tacit_verify.release import Check, judged

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,6})?")
COMMA, THOUSANDS = re.compile(r"[+-]?\d*,\d+"), re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
RAISED = "²³¹⁰⁴-⁾₀-₎①-⓿❶-➓"  # also what is lowered or in a circle
BORDER = re.compile(rf"(?<=\d)(?=[{RAISED}])|(?<=[{RAISED}])(?=\d)")
FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅟↉])")
BESIDE = re.compile(r" (?=[!-/:-@[-`{-~°€£¥§±×÷≤≥·])|(?<=[!-/:-@[-`{-~°€£¥§±×÷≤≥·]) ")  # a sign
# Characters that print as nothing, or as a blank, without being listed as such: fillers, joiners, selectors.
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\uffa0\ufe00-\ufe0f\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
# Characters that look like others: signs, small letters, and capitals whose small letters look like nothing.
SIGNS: dict[int, Any] = {
    **dict.fromkeys(map(ord, "‘’‛′‵ʹʻʼʽʾʿˈ`´׳ꞌꞋ"), "'"), **dict.fromkeys(map(ord, '"“”„‟″‶״'), "''"),
    **dict.fromkeys(map(ord, "‐‑‒–—―−⁃˗֊־"), "-"), **dict.fromkeys(map(ord, "•‧∙⋅"), "·"),
    **str.maketrans("⁄∕∶ː꞉∗∼˜‚ϲϹ", "//:::*~~,cc"),
}  # fmt: skip
SMALL = SIGNS | str.maketrans(
    "αγικνορυχητϳасеԁһіјкорԛѕуԝхӏѵօɑɡɢɪɴʀʏʙʜʟᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜰꜱꞯ",
    "ayikvopuxntjacedhijkopqsywxlvoagginrybhlacdejkmoptuvwzfsq",
)
# The last two look like no Latin letter, though their small letters do.
CAPITALS = str.maketrans("ΒΕΖΗΜΝΤΥВНМТӀΓҺ", "BEZHMNTYBHMTI\u2c84\u2c67")


@cache
def looks(text: str | None) -> str:
    """What a value looks like; a missing value looks like an empty text."""
    apart = FRACTION.sub(" ", BORDER.sub("^", text or ""))
    folded = unicodedata.normalize("NFKD", apart.translate(SIGNS)).casefold()
    folded = unicodedata.normalize("NFKD", folded).translate(SMALL)
    blank = "".join([" " if letter.isspace() else letter for letter in UNSEEN.sub("", folded)])
    seen = [letter for letter in blank if unicodedata.category(letter) not in ("Cc", "Cf", "Cn", "Co", "Cs")]
    folded = BESIDE.sub("", " ".join("".join(seen).split()))
    number, percent = folded.removesuffix("%"), folded[-1:] == "%"
    if COMMA.fullmatch(number) and not THOUSANDS.fullmatch(number):
        number = number.replace(",", ".")
    if NUMBER.fullmatch(number):
        sign, digits, exponent = Decimal(number).as_tuple()
        written = "".join(map(str, digits))
        significant = written.strip("0")
        shift = int(exponent) + len(written) - len(written.rstrip("0"))
        written = f"{'-' if sign and significant else ''}{significant}e{shift if significant else 0}"
        return written + "%" * percent
    return folded


def twins(values: Iterable[str | None]) -> Iterator[str]:
    """A problem for each value that looks like an earlier one."""
    first: dict[tuple[int, str], str | None] = {}
    for value in values:
        as_latin = unicodedata.normalize("NFD", value or "").translate(CAPITALS)
        for look in enumerate((looks(value), looks(as_latin))):
            other = first.setdefault(look, value)
            if other != value:
                yield f"{other!a} and {value!a} look alike"
                break


def check_values(names: Iterable[str], held: Iterable[tuple[str | None, ...]]) -> Check:
    """No two values of a sensitive column look alike; each of those held has a value of every column."""
    columns = zip(names, zip(*dict.fromkeys(held), strict=True), strict=False)
    alike = (f"{name}: {one}" for name, values in columns for one in twins(values))
    return judged("values", alike, "no two values look alike")
