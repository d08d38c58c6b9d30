"""Options by the names that the command line has for them: given once, and told so in errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import click

__all__ = ["flags_of", "in_flags", "refuse_twice"]

ALIASES = {"n_jobs": "jobs", "random_state": "seed"}
QUOTED = re.compile(r"('[^']*'|\"[^\"]*\")")
LISTING = re.compile(r"(\bit (?:has|takes)\b|\bknown are\b)")  # names that -p takes
SUBJECT = re.compile(r"(\w+)((?: and \w+)*)(?= (?:is|are|lies|takes|exclude)\b)")


def flags_of(params: Sequence[click.Parameter]) -> dict[str, str]:
    """The flag of each option by its name in Python, the long one where there is one."""
    found = {
        param.name: next((flag for flag in param.opts if flag.startswith("--")), param.opts[0])
        for param in params
        if isinstance(param, click.Option) and param.name
    }
    return found | {name: found[own] for name, own in ALIASES.items() if own in found}


def in_flags(text: str, flags: Mapping[str, str]) -> str:
    """What a library says of its arguments, in the words of the command line.

    Names of two words are told anywhere but in quotes; of one word, which may be a word like any
    other, only where they are what the sentence is about.

    Examples
    --------
    >>> flags = {"min_gain": "--min-gain", "alpha": "--alpha", "n_jobs": "--jobs"}
    >>> in_flags("alpha lies between 0 and 1, not 'alpha'", flags)
    "--alpha lies between 0 and 1, not 'alpha'"
    >>> in_flags("there is no gain of 'min_gain': raise min_gain", flags)
    "there is no gain of 'min_gain': raise --min-gain"
    """
    names = "|".join(re.escape(name) for name in flags if "_" in name)
    subject = SUBJECT.match(text)
    if subject is not None:
        words = subject.group(0)
        text = re.sub(r"\w+", lambda word: flags.get(word[0], word[0]), words) + text[len(words) :]
    if not names:
        return text
    long = re.compile(rf"(?<![\w./-])(?:{names})(?![\w/-]|\.\w)")
    said, *listed = LISTING.split(text, maxsplit=1)
    parts = QUOTED.split(said)
    parts[::2] = [long.sub(lambda name: flags[name[0]], part) for part in parts[::2]]
    return "".join([*parts, *listed])


def refuse_twice(command: click.Command, context: click.Context, arguments: list[str]) -> None:
    """Refuse an option of one value that is given more than once: click takes the last."""
    if context.resilient_parsing:
        return
    order = command.make_parser(context).parse_args(args=list(arguments))[2]
    for param, times in Counter(order).items():
        one_value = isinstance(param, click.Option) and not (
            param.multiple or param.is_flag or param.count
        )
        if one_value and times > 1:
            many = "twice" if times == 2 else f"{times} times"
            raise click.UsageError(f"{'/'.join(param.opts)} is given {many}: give it once", context)
