"""What a search returns: picks in order, each with its reasons."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Path", "Pick"]


@dataclass(frozen=True)
class Pick:
    """One picked feature and why it was picked.

    Parameters
    ----------
    index : int
        The column.
    score : float
        J of the pick when it was picked; ``relevance + label_correlation - redundancy``.
    relevance, redundancy, label_correlation : float
        The parts; a negative redundancy is what the picked features add.
    ties : tuple of int
        Columns that were as good; the lowest wins.
    runner_up : int or None
        The best column that was not as good, or the next tied one.
    margin : float
        What the pick was ahead of the runner-up by.
    forced : bool
        It was not chosen but asked for.
    """

    index: int
    score: float
    relevance: float
    redundancy: float
    label_correlation: float
    ties: tuple[int, ...] = ()
    runner_up: int | None = None
    margin: float = float("nan")
    forced: bool = False


@dataclass
class Path:
    """Picks in order: what a search returns, and what it has so far when interrupted.

    Parameters
    ----------
    picks : list of Pick
        The picks.
    interrupted, exhausted : bool
        Ctrl-C cut it short; no candidate was left.
    counted, eager : int
        How many terms were made, each of one pick and one candidate; how many a loop makes that
        leaves none out.
    """

    picks: list[Pick] = field(default_factory=list)
    interrupted: bool = False
    exhausted: bool = False
    counted: int = 0
    eager: int = 0
