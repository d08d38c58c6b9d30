"""What a pick should cost on a cluster, by the model of docs/scale.md and measured constants.

`python -m benchmarks.scale_model` prints the tables of that page.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Shape", "pick_seconds"]

PER_CELL = {"mrmr": 2.8e-12, "jmi": 8.0e-12}  # seconds of one thread, for a row and a column
PER_CALL = 0.5e-3  # seconds of the process that selects, for the question to one worker
WIRE = 1.0e9  # bytes a second that this process takes in, or sends
WORKERS = (1, 2, 5, 10, 20, 50, 100, 200, 400)


class Shape(NamedTuple):
    """Columns of two levels; of sparse ones, in how many rows a pick is not at its mode.

    `seconds` is what `jmi` takes for a pick in one thread, where this was measured.
    """

    name: str
    rows: int
    d: int
    q: int = 1
    entries: int | None = None
    seconds: float | None = None


SHAPES = (
    Shape("4 M x 100, 2 labels", 4_000_000, 100, 2),
    Shape("ECBDL14, 65 M x 631", 65_003_913, 631),
    Shape("a billion x 631", 1_000_000_000, 631),
    Shape("200,000 x 20,000 sparse, 100 labels", 200_000, 20_000, 100, 1000, 8e-3),
)


def pick_seconds(
    shape: Shape, criterion: str, workers: int, layout: str = "rows"
) -> tuple[float, float, float]:
    """The seconds of counting, of asking, and of the wire, for one later pick.

    Examples
    --------
    >>> [round(part, 4) for part in pick_seconds(SHAPES[1], "jmi", 20)]
    [0.0164, 0.01, 0.0001]
    >>> [round(part, 4) for part in pick_seconds(SHAPES[1], "jmi", 20, "columns")]
    [0.0164, 0.01, 0.1625]
    """
    labels = shape.q if criterion == "jmi" else 0
    counting = PER_CELL[criterion] * shape.rows * shape.d * max(1, labels)
    if shape.seconds is not None and labels:
        counting = shape.seconds
    by_rows = 4 * shape.d * (1 + labels) * workers
    column = shape.rows / 8 if shape.entries is None else 8 * shape.entries
    by_columns = column * workers + 8 * shape.d
    wire = (by_rows if layout == "rows" else by_columns) / WIRE
    return counting / workers, PER_CALL * workers, wire


def main() -> None:
    """Print a table for each criterion and layout."""
    for criterion in PER_CELL:
        for layout in ("rows", "columns"):
            print(f"\n| {criterion} by {layout}, ms a pick | {' | '.join(map(str, WORKERS))} |")
            print(f"|---|{'---|' * len(WORKERS)}")
            for shape in SHAPES:
                if criterion == "mrmr" and shape.seconds is not None:
                    continue
                times = [1e3 * sum(pick_seconds(shape, criterion, n, layout)) for n in WORKERS]
                print(f"| {shape.name} | {' | '.join(f'{one:,.3g}' for one in times)} |")


if __name__ == "__main__":
    main()
