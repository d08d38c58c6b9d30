"""The format of a table by its first bytes."""

from __future__ import annotations

__all__ = ["sniff_format"]


def sniff_format(content: bytes) -> str | None:
    """The format by the first line that is not blank or a comment of ARFF."""
    if content.startswith(b"PK\x03\x04"):
        return "npz"
    if content.startswith(b"PAR1"):
        return "parquet"
    if content.startswith(b"MATLAB"):
        return "mat"
    start = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    while start < min(len(content), 1 << 16):
        stop = content.find(b"\n", start)
        line = content[start : len(content) if stop < 0 else stop].strip()
        start = len(content) if stop < 0 else stop + 1
        if not line or line.startswith(b"%"):
            continue
        words = line[:1000].split()
        if words[0].lower() in (b"@relation", b"@attribute"):
            return "arff"
        if len(words) == 3 and all(word.isdigit() for word in words):
            return "xmc"
        if any(_is_pair(word) for word in words[:3]) and b"," not in words[-1]:
            return "svmlight"
        return "tsv" if b"\t" in line else "csv" if b"," in line else None
    return None


def _is_pair(word: bytes) -> bool:
    index, colon, value = word.partition(b":")
    return bool(colon) and index.isdigit() and value[:1] in b"+-.0123456789"
