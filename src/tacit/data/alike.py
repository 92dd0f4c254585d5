"""What a text looks like: one spelling for texts that nobody can tell apart, to compare, never to publish.

``Crohn's`` with a typographic apostrophe, a hyphen of another kind, a ligature, full-width letters, a
Cyrillic or Greek letter in the place of a Latin one, case, blanks, what is not seen: each would make one
value two. No two letters of one alphabet are folded into one, so that its words stay apart; and ``10²`` stays
apart from ``102``, ``1½`` from ``11/2``.
"""

from __future__ import annotations

import re
import unicodedata

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
