"""Make songs.arff: 240 invented songs, 24 features, 6 moods, the same on every machine.

Each song has two hidden properties: how lively and how bright it is.
Some features depend on these properties, some repeat another feature, and some are noise.
A good selection has the first kind, few of the second and none of the third.

Run it as ``python docs/examples/make.py``; it writes songs.arff beside itself.
"""

from __future__ import annotations

import random
from pathlib import Path

SONGS = 240
MOODS = ("happy", "sad", "calm", "angry", "danceable", "dreamy")
NUMERIC = (
    "tempo",
    "loudness",
    "brightness",
    "beat_strength",
    "harmony_change",
    "attack",
    "dynamic_range",
    "half_tempo",
    "peak_loudness",
    "duration",
    "title_length",
    "track_number",
)
NOMINAL = {
    "mode": ("major", "minor"),
    "vocals": ("none", "solo", "choir"),
    "drums": ("no", "yes"),
    "distortion": ("no", "yes"),
    "strings": ("no", "yes"),
    "synthesizer": ("no", "yes"),
    "piano": ("no", "yes"),
    "percussion": ("no", "yes"),
    "weekday_of_release": ("mon", "tue", "wed", "thu", "fri"),
    "live_recording": ("no", "yes"),
    "has_sleeve_notes": ("no", "yes"),
    "country": ("A", "B", "C", "D"),
}


def song(draw: random.Random) -> tuple[dict[str, str], dict[str, int]]:
    """Draw one song: its features and its moods."""
    lively, bright = draw.gauss(0, 1), draw.gauss(0, 1)

    def about(value: float, spread: float) -> float:
        return value + draw.gauss(0, spread)

    def maybe(*odds: float) -> bool:
        return sum(odds) + draw.gauss(0, 0.6) > 0

    tempo = about(112 + 22 * lively, 8)
    loudness = about(-11 + 3 * lively - 0.6 * bright, 1.5)
    minor = maybe(-1.4 * bright)
    drums = maybe(1.3 * lively, 0.4)
    distortion = maybe(1.1 * lively, -1.2 * bright, -0.8)
    features = {
        "tempo": f"{tempo:.0f}",
        "loudness": f"{loudness:.1f}",
        "brightness": f"{about(2.4 + 0.7 * bright + 0.2 * lively, 0.4):.2f}",
        "beat_strength": f"{about(5 + 1.6 * lively + 0.9 * drums, 0.9):.1f}",
        "harmony_change": f"{about(3 - 0.8 * bright, 0.9):.1f}",
        "attack": f"{about(40 - 9 * lively, 7):.0f}",
        "dynamic_range": f"{about(9 - 1.5 * lively + bright, 2):.1f}",
        "half_tempo": f"{round(tempo) / 2:.1f}",
        "peak_loudness": f"{about(loudness + 4, 0.8):.1f}",
        "duration": f"{about(215, 40):.0f}",
        "title_length": f"{max(2, about(16, 6)):.0f}",
        "track_number": f"{draw.randint(1, 14)}",
        "mode": "minor" if minor else "major",
        "vocals": draw.choice(("none", "solo", "solo", "choir")),
        "drums": "yes" if drums else "no",
        "distortion": "yes" if distortion else "no",
        "strings": "yes" if maybe(-1.2 * lively, -0.3) else "no",
        "synthesizer": "yes" if maybe(0.4 * lively, 0.5 * bright) else "no",
        "piano": "yes" if maybe(-0.7 * lively) else "no",
        "percussion": "yes" if drums != (draw.random() < 0.08) else "no",
        "weekday_of_release": draw.choice(NOMINAL["weekday_of_release"]),
        "live_recording": draw.choice(("no", "no", "yes")),
        "has_sleeve_notes": draw.choice(("no", "yes")),
        "country": draw.choice(NOMINAL["country"]),
    }
    if draw.random() < 0.04:
        features["harmony_change"] = "3.0"
    moods = {
        "happy": maybe(1.2 * bright, 0.7 * lively, -0.3),
        "sad": maybe(-1.3 * bright, -0.7 * lively, -0.4),
        "calm": maybe(-1.5 * lively, 0.4 * bright, -0.3),
        "angry": distortion and maybe(0.8 * lively, -0.8 * bright),
        "danceable": drums and maybe(1.2 * lively, 0.5 * bright, -0.2),
        "dreamy": maybe(-0.9 * lively, -0.3 if minor else -1.2),
    }
    return features, {mood: int(heard) for mood, heard in moods.items()}


def arff() -> str:
    """Return the songs as ARFF text; the relation name marks the last six columns as labels."""
    draw = random.Random(2016)
    lines = [
        "% 240 invented songs and the moods that listeners heard in them.",
        "% Made by docs/examples/make.py; no real song is described.",
        f"@relation 'songs: -C -{len(MOODS)}'",
        "",
        *(f"@attribute {name} numeric" for name in NUMERIC),
        *(f"@attribute {name} {{{','.join(values)}}}" for name, values in NOMINAL.items()),
        *(f"@attribute {mood} {{0,1}}" for mood in MOODS),
        "",
        "@data",
    ]
    for _ in range(SONGS):
        features, moods = song(draw)
        cells = [features[name] for name in (*NUMERIC, *NOMINAL)]
        lines.append(",".join([*cells, *(str(moods[mood]) for mood in MOODS)]))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("songs.arff").write_text(arff(), encoding="utf-8")
