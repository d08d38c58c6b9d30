"""Changes that any bytes can suffer: flipped, cut, repeated, spliced, numbers replaced."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Sequence

NUMBER = re.compile(rb"[0-9]+")
NUMBERS = [
    b"0", b"-1", b"1", b"2", b"255", b"65536", b"2147483647", b"2147483648", b"4294967295",
    b"9007199254740993", b"9223372036854775807", b"9223372036854775808",
    b"18446744073709551616", b"1e308", b"1e309", b"5e-324", b"1e-400", b"nan", b"inf", b"-0",
    b"0x10", b"1_0", b"+1", b" 1", b"00000000000000000001", "٣".encode(), "１".encode(),
    b"1000000", b"16777216", b"4194304", b"100000000", b"1e9999999999",
]  # fmt: skip
WORDS = [0, 1, 2, 7, 8, 127, 128, 255, 256, 32767, 65535, 1 << 24, (1 << 31) - 1, 1 << 31,
         (1 << 32) - 1, (1 << 32) - 8, 10**8, 10**9]  # fmt: skip


def mutate(rng: random.Random, content: bytes, others: Sequence[bytes] = ()) -> bytes:
    """Change some bytes: mostly a little, sometimes much."""
    data = bytearray(content)
    for _ in range(1 if rng.random() < 0.6 else rng.randint(2, 8)):
        _change(rng, data, others)
    return bytes(data)


def _change(rng: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    size = len(data)
    at = rng.randrange(size + 1)
    kind = rng.randrange(10)
    if kind == 0 and size:
        data[at % size] ^= 1 << rng.randrange(8)
    elif kind == 1 and size:
        data[at % size] = rng.randrange(256)
    elif kind == 2:
        del data[at : at + rng.choice((1, 1, 2, 4, 8, 64))]
    elif kind == 3:
        data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 1, 2, 4, 8))))
    elif kind == 4:
        piece = data[at : at + rng.choice((1, 4, 8, 16, 64))]
        data[at:at] = piece * rng.choice((1, 1, 2, 50))
    elif kind == 5:
        del data[at:]
    elif kind == 6 and others:
        other = rng.choice(others)
        start = rng.randrange(len(other) + 1)
        data[at : at + rng.choice((0, 8, 64))] = other[start : start + rng.choice((8, 64, 512))]
    elif kind == 7:
        word = struct.pack(rng.choice(("<I", ">I", "<H", "<Q")), rng.choice(WORDS) & 0xFFFF)
        if len(word) != 2:
            word = struct.pack("<I", rng.choice(WORDS))
        start = at // 4 * 4 if rng.random() < 0.7 else at
        data[start : start + len(word)] = word
    elif kind == 8:
        _renumber(rng, data)
    else:
        data[at:at] = rng.choice((b"\n", b"\r", b"\0", b" ", b"\t", b",", b'"', b"'", b"\xff", b":",
                                  b"\xef\xbb\xbf", b"\x1a", b"\\", b"%", b"{", b"}", b"#", b"-",
                                  "é".encode(), "\u2028".encode(), "\x85".encode()))  # fmt: skip


def _renumber(rng: random.Random, data: bytearray) -> None:
    found = list(NUMBER.finditer(data))
    if found:
        one = rng.choice(found)
        data[one.start() : one.end()] = rng.choice(NUMBERS)
