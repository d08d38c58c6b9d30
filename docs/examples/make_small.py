"""Make articles.arff and sensors.arff, which come with mlfs beside the songs.

Run it as ``python docs/examples/make_small.py``; it writes them to mlfs/datasets, where it also
puts the songs.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "mlfs" / "datasets"
ARTICLES, FILLERS = 300, 320
TOPICS = {
    "sport": "match team goal coach season player league stadium race medal",
    "politics": "election minister vote parliament law party campaign senate treaty budget",
    "science": "cell experiment theory particle telescope genome laboratory protein orbit fossil",
    "travel": "hotel flight island beach border luggage train harbour guide passport",
    "food": "recipe flour oven spice harvest kitchen taste butter dinner vineyard",
    "music": "album concert guitar singer melody orchestra rhythm stage choir drummer",
    "health": "doctor vaccine hospital diet sleep patient surgery virus therapy nurse",
    "money": "bank market share interest price loan profit tax currency trade",
}
RUNS = 250
FAULTS = ("imbalance", "bearing", "leak", "overheating", "wear")


def article(draw: random.Random) -> tuple[list[int], list[int]]:
    """Draw an article: the columns of its words, and its topics."""
    topics = sorted(draw.sample(range(len(TOPICS)), draw.choice((1, 1, 1, 2, 2, 3))))
    words = set()
    for topic in range(len(TOPICS)):
        odds = 0.3 if topic in topics else 0.02
        words |= {10 * topic + k for k in range(10) if draw.random() < odds * (1.3 - 0.06 * k)}
    first = 10 * len(TOPICS)
    words |= {first + k for k in range(FILLERS) if draw.random() < 6 / (k + 20)}
    return sorted(words), topics


def articles() -> str:
    """Return the articles as sparse ARFF text."""
    draw = random.Random(1995)
    words = [word for text in TOPICS.values() for word in text.split()]
    words += [f"filler_{k + 1:03}" for k in range(FILLERS)]
    lines = [
        "% 300 invented articles, the words in them and their topics.",
        "% Made by docs/examples/make_small.py.",
        f"@relation 'articles: -C -{len(TOPICS)}'",
        "",
        *(f"@attribute {word} numeric" for word in words),
        *(f"@attribute {topic} {{0,1}}" for topic in TOPICS),
        "",
        "@data",
    ]
    for _ in range(ARTICLES):
        there, topics = article(draw)
        cells = [f"{column} 1" for column in [*there, *(len(words) + topic for topic in topics)]]
        lines.append("{" + ",".join(cells) + "}")
    return "\n".join(lines) + "\n"


def run(draw: random.Random) -> tuple[dict[str, float], dict[str, int]]:
    """Draw a run of the machine: its measurements and its faults."""
    shaft, heat, age = draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1)

    def about(value: float, spread: float) -> float:
        return value + draw.gauss(0, spread)

    def shows(value: float) -> int:
        return int(about(value, 0.5) > 0)

    vibration = about(2.0 + 0.8 * shaft + 0.3 * age, 0.3)
    temperature = about(71 + 9 * heat + 2 * age, 3)
    pressure = about(6.0 - 0.7 * age + 0.2 * heat, 0.4)
    measured = {
        "vibration_x": vibration,
        "vibration_y": about(1.1 * vibration, 0.25),
        "vibration_z": about(1.4 + 0.3 * age, 0.5),
        "noise_level": about(64 + 5 * shaft + 2 * age, 3),
        "bearing_temperature": about(54 + 4 * shaft + 5 * heat, 3),
        "oil_temperature": temperature,
        "oil_temperature_f": 32 + 1.8 * temperature,
        "coolant_temperature": about(0.8 * temperature, 4),
        "oil_pressure": pressure,
        "line_pressure": about(pressure + 1, 0.3),
        "flow": about(12 - 1.6 * age, 1.2),
        "power": about(230 + 14 * heat + 9 * shaft, 10),
        "current": about(9.6 + 0.6 * heat + 0.4 * shaft, 0.5),
        "running_hours": max(0.0, about(5200 + 1900 * age, 700)),
        "particles": max(0.0, about(40 + 16 * age, 9)),
        "ambient_temperature": about(21, 4),
        "humidity": about(48, 11),
        "shift_hour": draw.uniform(0, 8),
        "supply_voltage": about(400, 3),
        "batch_weight": about(1000, 45),
    }
    faults = (
        shows(1.3 * shaft - 0.8),
        shows(0.9 * shaft + 0.7 * heat - 0.9),
        shows(1.3 * age - 1.0),
        shows(1.4 * heat - 1.0),
        shows(1.1 * age + 0.3 * shaft - 0.7),
    )
    return measured, dict(zip(FAULTS, faults, strict=True))


def sensors() -> str:
    """Return the runs as ARFF text of numbers."""
    draw = random.Random(1859)
    runs = [run(draw) for _ in range(RUNS)]
    lines = [
        "% 250 invented runs of a machine, what was measured and the faults that showed.",
        "% Made by docs/examples/make_small.py.",
        f"@relation 'sensors: -C -{len(FAULTS)}'",
        "",
        *(f"@attribute {name} numeric" for name in runs[0][0]),
        *(f"@attribute {fault} {{0,1}}" for fault in FAULTS),
        "",
        "@data",
    ]
    for measured, faults in runs:
        cells = [f"{value:.4g}" for value in measured.values()]
        lines.append(",".join([*cells, *map(str, faults.values())]))
    return "\n".join(lines) + "\n"


def songs() -> str:
    """Return the songs, which make.py makes."""
    return Path(__file__).with_name("songs.arff").read_text(encoding="utf-8")


FILES: dict[str, Callable[[], str]] = {"songs": songs, "articles": articles, "sensors": sensors}

if __name__ == "__main__":
    for name, text in FILES.items():
        (TARGET / f"{name}.arff").write_text(text(), encoding="utf-8")
