"""The table: one row a case, as Markdown to read and as CSV to work with."""

from __future__ import annotations

import csv as csv_module
import io
from typing import Any

from benchmarks.machine import line

__all__ = ["csv", "limits_line", "markdown", "short"]

HEAD = {
    "case": "case",
    "size": "rows x columns, labels",
    "n": "n",
    "seconds": "from arrays",
    "two_threads": "2 threads",
    "ready": "counts ready",
    "goal": "goal",
    "times_goal": "x goal",
    "floor": "floor",
    "share": "share",
    "peak_mb": "peak MB",
    "packed_mb": "packed MB",
    "spread": "median / best",
}
FIELDS = (
    *("case", "seed", "rows", "columns", "labels", "n", "seconds", "two_threads", "ready", "goal"),
    *("runs", "spread", "floor", "share", "peak_mb", "input_mb", "packed_mb", "megabytes"),
    *("mb_per_second", "exponent", "last", "skipped", "failed"),
)
WORDS = """\
Best of several runs; *from arrays* is the whole call `mlfs.select((X, Y), ...)`, *counts ready*
the greedy search alone. *Goal* is the time that we want on two quiet cores. *Floor* is one read
of X and every count of an eager search at the speed of one thread of this machine, without
packing, entropies or search; *share* is floor over time. *Peak* is beyond a process that has
imported mlfs, loaded its kernels and holds the input.
"""


def duration(seconds: float | None) -> str:
    """A time with three digits and its unit.

    >>> duration(0.0123), duration(2.25), duration(None)
    ('12.3 ms', '2.25 s', '')
    """
    if seconds is None:
        return ""
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def limits_line(limits: dict[str, float]) -> str:
    """What the machine can do."""
    return (
        f"one thread: {limits['words'] / 1e9:.1f} G words popcounted, "
        f"{limits['bytes'] / 1e9:.1f} GB streamed, {limits['places'] / 1e9:.2f} G places counted "
        "in a second"
    )


def short(record: dict[str, Any]) -> str:
    """One line for the terminal."""
    text = f"{record['case']:34}"
    for word in ("skipped", "failed"):
        if word in record:
            return f"{text} {word}: {record[word]}"
    if "points" in record:
        return f"{text} exponent {record['exponent']} (last step {record['last']})"
    text += f"{duration(record['seconds']):>10}"
    if record.get("goal"):
        text += f"  goal {duration(record['goal'])}, x{record['seconds'] / record['goal']:.2f}"
    if record.get("mb_per_second"):
        text += f"  {record['mb_per_second']:.0f} MB/s"
    if record.get("ready"):
        text += f"  counts ready {duration(record['ready'])}"
    if record.get("peak_mb") is not None:
        text += f"  peak {record['peak_mb']:.0f} MB"
    for peer in record.get("peers", ()):
        text += f"\n{'':34}{_beside(peer)}"
    return text


def _beside(peer: dict[str, Any]) -> str:
    if "absent" in peer:
        return f"  {peer['peer']} is not installed: {peer['absent']}"
    if "failed" in peer:
        return f"  {peer['peer']} failed: {peer['failed']}"
    return f"  {peer['peer']} x{peer['ratio']:.1f} ({_size(peer)}), picks: {peer['picks']}"


def _size(record: dict[str, Any]) -> str:
    text = f"{record['rows']:,} x {record['columns']:,}"
    return f"{text}, {record['labels']:,}" if "labels" in record else text


def markdown(document: dict[str, Any]) -> str:
    """The whole page."""
    parts = ["# Benchmarks\n", _about(document), WORDS]
    run = [r for r in document["cases"] if r["kind"] in {"select", "order"} and "seconds" in r]
    parts.append(_rows(list(HEAD.values()), [[_cell(r, key) for key in HEAD] for r in run]))
    files = [r for r in document["cases"] if r["kind"] not in {"select", "order"}]
    timed = [r for r in files if "seconds" in r]
    if timed:
        head = ["case", "time", "goal", "MB", "MB/s", "peak MB"]
        parts += ["## Files and start-up\n", _rows(head, [_file_row(r) for r in timed])]
    parts += _of_peers(run)
    grown = [r for r in files if "points" in r]
    if grown:
        head = ["case", "sizes and times", "exponent", "last step"]
        parts += ["## Growth\n", _rows(head, [_growth_row(r) for r in grown])]
    left = [r for r in document["cases"] if "skipped" in r or "failed" in r]
    if left:
        why = [[r["case"], r.get("skipped") or f"FAILED: {r['failed']}"] for r in left]
        parts += ["## Not measured\n", _rows(["case", "why"], why)]
    return "\n".join(parts)


def _about(document: dict[str, Any]) -> str:
    quick = " A quick run, on inputs cut to a fifth." if document["quick"] else ""
    return (
        f"These are numbers of this machine: {line(document['machine'])}; "
        f"{limits_line(document['limits'])}.{quick}\n"
    )


def _of_peers(run: list[dict[str, Any]]) -> list[str]:
    text = [(r["case"], peer) for r in run for peer in r.get("peers", ())]
    if not text:
        return []
    head = ["case", "peer", "on", "n", "peer's time", "ours", "ratio", "picks"]
    rows = []
    absent = {}
    for case, peer in text:
        if "absent" in peer:
            absent[peer["peer"]] = peer["absent"]
            continue
        size = [_size(peer), str(peer["n"])]
        if "failed" in peer:
            rows.append([case, peer["peer"], *size, "", "", "", f"failed: {peer['failed']}"])
            continue
        times = [duration(peer["seconds"]), duration(peer["ours"]), f"{peer['ratio']:.1f}"]
        rows.append([case, peer["peer"], *size, *times, peer["picks"]])
    lines = [f"{name} is not installed: `{install}`.\n" for name, install in absent.items()]
    return ["## Peers, on the same arrays in the same run\n", _rows(head, rows), *lines]


def _rows(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    cells = ([cell.replace("|", "\\|") for cell in row] for row in lines)
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


def _cell(record: dict[str, Any], key: str) -> str:
    if key == "size":
        return _size(record)
    if key == "times_goal":
        goal = record.get("goal")
        return f"{record['seconds'] / goal:.2f}" if goal else ""
    value = record.get(key)
    if key in {"seconds", "two_threads", "ready", "goal", "floor"}:
        return duration(value)
    if key == "share":
        return "" if value is None else f"{value:.1%}"
    if key.endswith("_mb"):
        return "" if value is None else f"{value:.1f}"
    return "" if value is None else str(value)


def _file_row(record: dict[str, Any]) -> list[str]:
    size, speed, peak = (record.get(key) for key in ("megabytes", "mb_per_second", "peak_mb"))
    return [
        record["case"],
        duration(record["seconds"]),
        duration(record.get("goal")),
        "" if size is None else f"{size:.1f}",
        "" if speed is None else f"{speed:.0f}",
        "" if peak is None else f"{peak:.1f}",
    ]


def _growth_row(record: dict[str, Any]) -> list[str]:
    curve = ", ".join(f"{size:g}: {duration(seconds)}" for size, seconds in record["points"])
    return [record["case"], curve, str(record["exponent"]), str(record["last"])]


def csv(document: dict[str, Any]) -> str:
    """One line a case, all numbers in full."""
    stream = io.StringIO()
    writer = csv_module.DictWriter(stream, FIELDS, extrasaction="ignore", lineterminator="\n")
    stream.write(f"# {line(document['machine'])}; {limits_line(document['limits'])}\n")
    writer.writeheader()
    writer.writerows(document["cases"])
    return stream.getvalue()
