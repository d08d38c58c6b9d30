"""The words of ARFF: tokens, quotes and escapes, read and written."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
WRITTEN = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
SPECIAL = frozenset(" ,{}%'\"\\?@\t\n\r\x1e")
BLANKS = frozenset(" \t\x0b\x0c\r")
MARKS = frozenset(",{}")
PAIRS = re.compile("[\ud800-\udbff][\udc00-\udfff]")
HALVES = re.compile("[\ud800-\udfff]")
ENDS = BLANKS | MARKS | {"%"}
DATE_PATTERN = "yyyy-MM-dd'T'HH:mm:ss"
LETTERS = {
    "%Y": "y yyy yyyy",
    "%y": "yy",
    "%m": "M MM",
    "%b": "MMM",
    "%B": "MMMM",
    "%d": "d dd",
    "%H": "H HH",
    "%I": "h hh",
    "%M": "m mm",
    "%S": "s ss",
    "%f": "S SS SSS",
    "%p": "a",
    "%a": "E EE EEE",
    "%A": "EEEE",
    "%z": "Z X XX XXX",
    "%j": "D DDD",
}
PYTHON = {java: python for python, forms in LETTERS.items() for java in forms.split()}


class Misfit(Exception):
    """The fault in a line, and at which character, counted from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message, self.position = message, position


class Token(NamedTuple):
    """A word, a quoted text, or one of the marks ``, { }``."""

    kind: str
    text: str
    start: int
    end: int


def tokenize(line: str, max_tokens: int = 1 << 62) -> list[Token]:
    """Cut a line into tokens, up to a comment; more than `max_tokens` of them are refused.

    A quote opens only at the start of a word, so that ``O'Brien`` is a word.

    Examples
    --------
    >>> [token.text for token in tokenize("a 'b c', {3}% and so on")]
    ['a', 'b c', ',', '{', '3', '}']
    """
    result: list[Token] = []
    length = len(line)
    position = 0
    while position < length:
        if len(result) > max_tokens:
            raise Misfit(f"there are more than {max_tokens} words and marks in this row", position)
        char = line[position]
        if char in BLANKS:
            position += 1
        elif char == "%":
            break
        elif char in MARKS:
            result.append(Token(char, char, position, position + 1))
            position += 1
        elif char in "'\"":
            end = _closing_quote(line, position)
            text = unescape(line[position + 1 : end])
            if not text.isascii() and HALVES.search(text):
                raise Misfit("half a surrogate pair (an escape \\ud800 to \\udfff alone)", position)
            result.append(Token("quoted", text, position, end + 1))
            position = end + 1
        else:
            start = position
            while position < length and line[position] not in ENDS:
                position += 1
            result.append(Token("word", line[start:position], start, position))
    return result


def _closing_quote(line: str, start: int) -> int:
    mark = line[start]
    end = start + 1
    while True:
        end = line.find(mark, end)
        if end < 0:
            raise Misfit(f"this quote ({mark}) is never closed on its line", start)
        back = end
        while line[back - 1] == "\\" and back - 1 > start:
            back -= 1
        if (end - back) % 2 == 0:
            return end
        end += 1


def group_text(group: list[Token], line: str) -> tuple[str, bool]:
    """The text between two commas, and whether it is quoted; words may stand side by side."""
    if len(group) == 1:
        return group[0].text, group[0].kind == "quoted"
    for token in group:
        if token.kind != "word":
            raise Misfit(f"found {token.text!r} where a comma was expected", token.start)
    return line[group[0].start : group[-1].end], False


def unescape(text: str) -> str:
    r"""Undo the backslash escapes of a quoted text: ``\'``, ``\n``, ``\u001E`` and the like.

    Examples
    --------
    >>> unescape(r"Stellar\'s Jay")
    "Stellar's Jay"
    """
    if "\\" not in text:
        return text
    pieces = text.split("\\")
    out = [pieces[0]]
    k = 1
    while k < len(pieces):
        piece = pieces[k]
        if not piece:  # two backslashes, or one at the very end
            out.append("\\")
            k += 1
            if k < len(pieces):
                out.append(pieces[k])
        elif piece[0] in ESCAPES:
            out.append(ESCAPES[piece[0]] + piece[1:])
        elif piece[0] == "u" and _is_hex(piece[1:5]):
            out.append(chr(int(piece[1:5], 16)) + piece[5:])
        else:
            out.append(piece)
        k += 1
    result = "".join(out)
    return PAIRS.sub(_join_pair, result) if not result.isascii() else result


def _join_pair(match: re.Match[str]) -> str:
    return match[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _is_hex(text: str) -> bool:
    return len(text) == 4 and all(char in "0123456789abcdefABCDEF" for char in text)


def quote(text: str) -> str:
    r"""Write a name or value so that it reads back: bare if it may be, else quoted.

    Examples
    --------
    >>> quote("plain"), quote("two words"), quote("Stellar's Jay")
    ('plain', "'two words'", "'Stellar\\'s Jay'")
    """
    if text and text.isprintable() and SPECIAL.isdisjoint(text):
        return text
    return f"'{escape(text)}'"


def escape(text: str) -> str:
    r"""Put backslashes where `unescape` takes them away.

    Examples
    --------
    >>> escape("Stellar's \x1b")
    "Stellar\\'s \\u001b"
    """
    return "".join(_escape_char(char) for char in text)


def _escape_char(char: str) -> str:
    if char in WRITTEN:
        return WRITTEN[char]
    if (
        char < " "
        or "\x7f" <= char <= "\x9f"
        or "\ud800" <= char <= "\udfff"
        or char in "\ufffe\uffff"
    ):
        return f"\\u{ord(char):04x}"
    return char


def date_pattern(java: str) -> str | None:
    """Translate a pattern of Java's SimpleDateFormat; None if it holds what is not known here.

    Examples
    --------
    >>> date_pattern("yyyy-MM-dd'T'HH:mm:ss")
    '%Y-%m-%dT%H:%M:%S'
    """
    out: list[str] = []
    start = 0
    while start < len(java):
        char = java[start]
        end = start + 1
        if char == "'":
            end = java.find("'", start + 1)
            if end < 0:
                return None
            out.append((java[start + 1 : end] or "'").replace("%", "%%"))
            end += 1
        elif char.isascii() and char.isalpha():
            while end < len(java) and java[end] == char:
                end += 1
            letters = PYTHON.get(java[start:end])
            if letters is None or letters in out:
                return None
            out.append(letters)
        else:
            out.append(char.replace("%", "%%"))
        start = end
    return "".join(out)


def date_seconds(text: str, pattern: str) -> float | None:
    """Read a date by a Python pattern; None if it does not fit. Without a zone it is UTC.

    Examples
    --------
    >>> date_seconds("1970-01-02", "%Y-%m-%d")
    86400.0
    """
    if not text.isascii() and any(char.isdecimal() and not char.isascii() for char in text):
        return None  # strptime takes the digits of every script
    try:
        moment = datetime.strptime(text, pattern)  # noqa: DTZ007 - UTC follows
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp()
