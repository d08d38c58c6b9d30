"""How help looks: what a command does, examples first, exit codes last; the rest is click's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from mlfs.api.options import OPTIONS
from mlfs.errors import MlfsError

EXIT_CODES = (
    ("0", "done"),
    ("1", "the data, a criterion or a model cannot be used"),
    ("2", "a wrong option or argument, or a file that is not there"),
    ("3", "an audit has found an error in the data"),
    ("130", "interrupted by Ctrl-C; a selection has written its picks so far"),
    ("141", "the reader of the output has closed it"),
    ("143", "ended by SIGTERM"),
)
SETTINGS: dict[str, Any] = {"max_content_width": 96, "help_option_names": ("-h", "--help")}
ALL = "mlfs.all_options"  # in a context: the help shows every option


def _show_all(context: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the help with every option, and end."""
    if value and not context.resilient_parsing:
        context.meta[ALL] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


class Command(click.Command):
    """A command with examples in its help, whose errors call options by their flags.

    Parameters
    ----------
    examples : sequence of (str, str)
        Commands, and what they do.
    often : sequence of str
        The flags that the help shows; ``--help-all`` shows all. By default all are shown.
    """

    def __init__(
        self,
        *arguments: Any,
        examples: Sequence[tuple[str, str]] = (),
        often: Sequence[str] = (),
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **{"context_settings": SETTINGS, **settings})
        self.examples, self.often = examples, often
        if often:
            kind: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False}
            kind |= {"help": "Show all options and exit.", "callback": _show_all}
            self.params.append(click.Option(("--help-all",), **kind))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an option of one value that is given twice is refused."""
        if not ctx.resilient_parsing:
            order = self.make_parser(ctx).parse_args(args=list(args))[2]
            for param, times in Counter(order).items():
                flags = isinstance(param, click.Option) and (param.is_flag or param.count)
                if isinstance(param, click.Option) and times > 1 and not (param.multiple or flags):
                    name = "/".join(param.opts)
                    raise click.UsageError(f"{name} is given twice: give it once", ctx)
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, and the examples."""
        super().format_help_text(ctx, formatter)
        width = max((len(line) for line, _ in self.examples), default=0)
        if self.examples:
            with formatter.section("Examples"):
                for line, meaning in self.examples:
                    formatter.write(f"  {line:<{width}}  {meaning}".rstrip() + "\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, or those that are used often."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        shown = options
        if self.often and not ctx.meta.get(ALL):
            shown = [option for option in options if {*self.often} & {*option.opts}]
        with formatter.section("Options"):
            formatter.write_dl([r for option in shown if (r := option.get_help_record(ctx))])
        if len(shown) < len(options):
            formatter.write_paragraph()
            formatter.write_text(f"All {len(options)} options: {ctx.command_path} --help-all")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the exit codes."""
        del ctx
        with formatter.section("Exit codes"):
            formatter.write_dl(EXIT_CODES)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error of the library calls each option by its longest flag."""
        try:
            return super().invoke(ctx)
        except MlfsError as error:
            options = [option for option in self.params if isinstance(option, click.Option)]
            flags = {option.name or "": max(option.opts, key=len) for option in options}
            flags |= {o.argument: flags[o.name] for o in OPTIONS if o.argument and o.name in flags}
            flags |= {"n_bins": "the number of --bins"}
            error.naming({**flags, "format": flags.get("source_format", "--format")})
            raise


class Group(Command, click.Group):
    """A command with commands below it, in the order in which a user meets them."""

    command_class = Command
    invoke = click.Group.invoke  # the flags in an error are those of the command that ran

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names of the commands, in this order."""
        del ctx
        return list(self.commands)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)
