"""The one place where text is made uniform: mojibake, quotes, dashes, spaces."""

from __future__ import annotations

import re
import unicodedata

import ftfy

_FIXES = ftfy.TextFixerConfig(uncurl_quotes=True, normalization="NFC", explain=False)
_DASHES = re.compile(r"\s*(?:--+|—|–|―)\s*")
_SPACES = re.compile(r"\s+")


def normalise_text(text: str) -> str:
    """Return the text with mojibake repaired, straight quotes, " -- " for every long dash, and single spaces.

    >>> normalise_text("Itâ€™s fine—really.")
    "It's fine -- really."
    """
    fixed = ftfy.fix_text(text, _FIXES)
    return _SPACES.sub(" ", _DASHES.sub(" -- ", fixed)).strip()


def has_mojibake(text: str) -> bool:
    """Whether the text holds wrongly decoded characters that ``normalise_text`` repairs."""
    return bool(ftfy.fix_encoding(text) != text)


def fold_name(name: str) -> str:
    """A person's name as names are compared: NFKC, no outer space, case folded."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


WORD = re.compile(r"[A-Za-z0-9']+")


def words(text: str) -> list[str]:
    """The benchmark's words: runs of letters, digits and apostrophes, here in lower case."""
    return WORD.findall(text.lower())
