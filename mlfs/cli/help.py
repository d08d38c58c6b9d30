"""How help looks: what it does, examples first, options by topic, exit codes last."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from mlfs.api.options import OPTIONS
from mlfs.errors import MlfsError


def _refusal(error: click.NoSuchOption, context: click.Context) -> click.UsageError:
    """The error about an unknown option, which names the nearest one."""
    hint = f": did you mean {error.possibilities[0]}?" if error.possibilities else ""
    return click.UsageError(f"no such option {error.option_name!r}{hint}", context)


EXIT_CODES = (
    ("0", "done"),
    ("1", "the data, a criterion or a model cannot be used"),
    ("2", "a wrong option or argument, or a file that is not there"),
    ("3", "an audit has found an error in the data"),
    ("130", "interrupted by Ctrl-C; a selection has written its picks so far"),
    ("141", "the reader of the output has closed it"),
    ("143", "ended by SIGTERM"),
)
OTHER = "Other options"
F = TypeVar("F", bound=Callable[..., Any])
HELP_NAMES = ("-h", "--help")
SETTINGS: dict[str, Any] = {"max_content_width": 96}
ALL = "mlfs.all_options"  # in a context: the help shows every option


class TopicOption(click.Option):
    """An option that stands under a topic in the help."""

    def __init__(self, *names: Any, topic: str = OTHER, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.topic = topic


def topical(topic: str, *names: str, **settings: Any) -> Callable[[F], F]:
    """Make a decorator for an option under a topic."""
    return click.option(*names, cls=TopicOption, topic=topic, **settings)


def _refuse_twice(command: click.Command, context: click.Context, arguments: list[str]) -> None:
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


def _write_examples(examples: Sequence[tuple[str, str]], formatter: click.HelpFormatter) -> None:
    width = max(len(command) for command, _ in examples)
    with formatter.section("Examples"):
        for command, meaning in examples:
            formatter.write(f"  {command:<{width}}  {meaning}".rstrip() + "\n")


def _write_options(
    command: _WithExamples, context: click.Context, formatter: click.HelpFormatter
) -> None:
    topics: dict[str, list[tuple[str, str]]] = {}
    shown = command.get_params(context)
    if command.often and not context.meta.get(ALL):
        shown = [option for option in shown if {*command.often} & {*option.opts}]
    for option in shown:
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record is not None:
            topics.setdefault(getattr(option, "topic", OTHER), []).append(record)
    for topic, rows in sorted(topics.items(), key=lambda topic_rows: topic_rows[0] == OTHER):
        with formatter.section(topic):
            formatter.write_dl(rows)
    if command.often and not context.meta.get(ALL):
        n = sum(isinstance(option, click.Option) for option in command.get_params(context))
        formatter.write_paragraph()
        formatter.write_text(f"All {n} options: {context.command_path} --help-all")


def _show_all(context: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the help with every option, and end."""
    if value and not context.resilient_parsing:
        context.meta[ALL] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


class _WithExamples(click.Command):
    """The base of commands and groups: examples in the help, and options that are checked."""

    def __init__(
        self,
        *arguments: Any,
        examples: Sequence[tuple[str, str]] = (),
        often: Sequence[str] = (),
        **settings: Any,
    ) -> None:
        settings.setdefault("context_settings", SETTINGS)
        super().__init__(*arguments, **settings)
        self.examples, self.often = examples, often
        if often:
            self.params.append(
                click.Option(
                    ("--help-all",),
                    is_flag=True,
                    is_eager=True,
                    expose_value=False,
                    callback=_show_all,
                    help="Show all options and exit.",
                )
            )

    def get_help_option_names(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's
        """The same in every context, a bare one of a page's generator included."""
        return list(HELP_NAMES)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; refuse an option that is given twice, or unknown."""
        try:
            _refuse_twice(self, ctx, args)
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _refusal(error, ctx) from None

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all of the help."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        if self.examples:
            _write_examples(self.examples, formatter)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)
        _write_options(self, ctx, formatter)
        with formatter.section("Exit codes"):
            formatter.write_dl(EXIT_CODES)


class Command(_WithExamples):
    """A command whose errors call each option by its longest flag."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except MlfsError as error:
            options = [option for option in self.params if isinstance(option, click.Option)]
            flags = {option.name or "": max(option.opts, key=len) for option in options}
            flags |= {o.argument: flags[o.name] for o in OPTIONS if o.argument and o.name in flags}
            error.naming({**flags, "format": flags.get("source_format", "--format")})
            raise


class Group(_WithExamples, click.Group):
    """A command with commands below it, and "did you mean" for their names."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """The commands, in the order in which a user meets them."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; a misspelt name gets a suggestion."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            close = difflib.get_close_matches(name, self.commands, n=1, cutoff=0.5)
            listing = "known are: " + ", ".join(self.commands)
            hint = f"did you mean {close[0]!r}?" if close else listing
            raise click.UsageError(f"there is no command {name!r}: {hint}", ctx)
        return super().resolve_command(ctx, args)
