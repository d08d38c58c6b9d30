"""What a pick should cost on a cluster, by the model of docs/scale.md and measured constants.

`python -m benchmarks.scale_model` prints the tables of that page.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Shape", "pick_seconds"]

PER_CELL = {"mrmr": 2.8e-12, "jmi": 8.0e-12}  # seconds of one thread, for a row and a column
PER_CALL = 0.5e-3  # seconds of the process that selects, for the question to one worker
WIRE = 1.0e9  # bytes a second that this process takes in
WORKERS = (1, 2, 5, 10, 20, 50, 100, 200, 400)


class Shape(NamedTuple):
    """Dense columns of two levels."""

    name: str
    rows: int
    d: int
    q: int = 1


SHAPES = (
    Shape("4 M x 100", 4_000_000, 100, 2),
    Shape("ECBDL14, 65 M x 631", 65_003_913, 631),
    Shape("a billion x 631", 1_000_000_000, 631),
)


def pick_seconds(shape: Shape, criterion: str, workers: int) -> tuple[float, float, float]:
    """The seconds of counting, of asking, and of the wire, for one later pick.

    Examples
    --------
    >>> [round(part, 4) for part in pick_seconds(SHAPES[1], "jmi", 20)]
    [0.0164, 0.01, 0.0001]
    """
    labels = shape.q if criterion == "jmi" else 0
    counting = PER_CELL[criterion] * shape.rows * shape.d * max(1, labels) / workers
    wire = 4 * shape.d * (1 + labels) * workers / WIRE
    return counting, PER_CALL * workers, wire


def main() -> None:
    """Print a table for each criterion."""
    for criterion in PER_CELL:
        print(f"\n| {criterion}, ms a pick | {' | '.join(map(str, WORKERS))} |")
        print(f"|---|{'---|' * len(WORKERS)}")
        for shape in SHAPES:
            times = [1e3 * sum(pick_seconds(shape, criterion, one)) for one in WORKERS]
            print(f"| {shape.name} | {' | '.join(f'{one:,.3g}' for one in times)} |")


if __name__ == "__main__":
    main()
