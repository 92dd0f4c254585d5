"""The encoding of a text, told by its bytes: right or not told, and never wrong."""

from __future__ import annotations

import pytest

from tacit.io.readers.text import encoding_of

TOLD = ("Name;Ort\nMüller;Köln\nWeiß;Düsseldorf\n", "Straße 5\nÄrztehaus\nÖl\n", "Müller – Groß, für 5 €\n")
UNTOLD = (
    "x\nÄ\nÖ\n", "20 °C\n", "5 €\n", "café\n", "CAFÉ,É\n", "x,é\n", "Žluťoučký kůň", "łódź,kraków",
    "Привет мир", "„Zitat“ – so", "it’s ok", "7 m²", "Øystein,Ærø", "Ñandú", "ÄÖÜ", "naïve", "£5",
    "½ l Milch", "5 µg", "§ 5", "Ελλάδα", "Señor Núñez",
)  # fmt: skip
ENCODINGS = (
    "cp1252", "latin-1", "mac-roman", "cp850", "cp437", "cp1250", "cp1251", "cp1253", "iso8859-2",
    "iso8859-7", "iso8859-15", "koi8-r", "shift-jis", "utf-8", "utf-8-sig", "utf-16", "utf-32",
)  # fmt: skip


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_text_is_taken_for_another(encoding: str) -> None:
    for text in (*TOLD, *UNTOLD):
        try:
            data = text.encode(encoding)
        except UnicodeEncodeError:
            continue
        found = encoding_of(data)
        assert found is None or data.decode(found).removeprefix("\ufeff") == text


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "mac-roman", "utf-8", "utf-16-le", "utf-16-be"])
def test_words_with_umlauts_tell(encoding: str) -> None:
    for text in (TOLD[0], TOLD[0] + TOLD[1]):
        found = encoding_of(text.encode(encoding))
        assert found is not None and text.encode(encoding).decode(found) == text
