"""The command as a process: pipes, Ctrl-C, progress on a terminal, start-up."""

from __future__ import annotations

import json
import os
import select as selecting
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.generated import hypercubes
from mlfs import cli, read, select
from tests.documents import ROOT

SONGS = str(ROOT / "docs" / "examples" / "songs.arff")
MLFS = [sys.executable, "-m", "mlfs"]
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")
ENV = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}


def mlfs(*arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MLFS, *arguments], env=ENV, capture_output=True, text=True, check=False, **settings
    )


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A data set with which jmi is busy for a while."""
    from mlfs.data import write

    path = tmp_path_factory.mktemp("large") / "large.npz"
    write(hypercubes(3000, 1500, 60, seed=1), path)
    return str(path)


@pytest.fixture(scope="module")
def two_best() -> str:
    """What the command prints for its two picks among the songs."""
    return "".join(f"{one}\n" for one in select(read(SONGS), n=2).indices)


def test_the_process_agrees_with_the_library() -> None:
    done = mlfs("select", "-c", "scls", "-n", "3", "--format", "names", SONGS)
    assert done.returncode == 0
    assert len(done.stdout.split()) == 3
    assert done.stderr == ""


def test_data_come_from_stdin(two_best: str) -> None:
    done = mlfs("select", "-n", "2", "--format", "indices", "-", input=Path(SONGS).read_text())
    assert done.stdout == two_best


def in_bash(line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of which {mlfs} is the command."""
    command = ["bash", "-o", "pipefail", "-c", line.format(mlfs=shlex.join(MLFS))]
    return subprocess.run(
        command, env=ENV, capture_output=True, text=True, check=False, timeout=300
    )


@POSIX
@pytest.mark.parametrize("way", ["<(cat {songs})", "<(gzip -c {songs})"])
def test_data_come_from_another_command(way: str, two_best: str) -> None:
    line = f"{{mlfs}} select -n 2 --format indices {way.format(songs=shlex.quote(SONGS))}"
    assert in_bash(line).stdout == two_best


@POSIX
def test_a_named_pipe_is_read_and_waiting_for_its_writer_is_reported(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    run = subprocess.Popen(
        [*MLFS, "info", "--format", "json", str(pipe)],
        env=ENV,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr is not None
    assert "into which nothing writes yet: waiting" in run.stderr.readline()
    pipe.write_bytes(Path(SONGS).read_bytes())
    out, _ = run.communicate()
    assert run.returncode == 0
    assert json.loads(out)["rows"] == 240


@POSIX
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("predict {pipe} {songs}", "a model is read from one"),
        ("compare -o {folder} {pipe}", "give files, not a pipe"),
    ],
)
def test_a_pipe_is_refused_where_it_cannot_be_read(
    command: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe, folder = tmp_path / "pipe", tmp_path / "report"
    os.mkfifo(pipe)
    given = {"{pipe}": str(pipe), "{songs}": SONGS, "{folder}": str(folder)}
    assert cli.main([given.get(word, word) for word in command.split()]) == 2
    assert words in capsys.readouterr().err


@POSIX
def test_a_closed_pipe_is_quiet(large: str) -> None:
    line = f"{shlex.join(MLFS)} convert --to arff {shlex.quote(large)} - | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], env=ENV, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (141, "")
    assert done.stdout.startswith("@relation")


@POSIX
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_reported() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*MLFS, "criteria"],
            env=ENV,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "mlfs: error: cannot write the output: No space left on device\n"


@POSIX
def test_a_closed_stdin_does_no_harm() -> None:
    done = in_bash(f"{{mlfs}} select -q -n 1 {shlex.quote(SONGS)} <&-")
    assert (done.returncode, done.stderr) == (0, "")


def test_output_in_pipes_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    (tmp_path / "u.csv").write_text("é,b,y\n1,0,1\n0,1,0\n", encoding="utf-8")
    done = subprocess.run(
        [*MLFS, "select", "-q", "-n", "1", "--labels", "last:1", "--format", "json", "u.csv"],
        env={**ENV, "PYTHONIOENCODING": "ascii"},
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert json.loads(done.stdout)["selected"][0]["name"] == "é"


class Terminal:
    """A run with stderr on a terminal."""

    def __init__(self, *arguments: str, **changes: str) -> None:
        import pty

        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [*MLFS, *arguments],
            env={**ENV, **changes},
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
        )
        os.close(theirs)
        self.seen = ""

    def wait_for(self, words: str, seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while words not in self.seen:
            assert time.monotonic() < end, self.seen
            self._read(0.1)

    def _read(self, seconds: float) -> bool:
        if selecting.select([self._ours], [], [], seconds)[0]:
            try:
                chunk = os.read(self._ours, 65536)
            except OSError:  # the other end is closed
                return False
            self.seen += chunk.decode()
            return bool(chunk)
        return self.process.poll() is None

    def finish(self) -> str:
        out, _ = self.process.communicate(timeout=120)
        while self._read(0.1):
            pass
        os.close(self._ours)
        return out


@POSIX
@pytest.mark.usefixtures("ctrl_c")
def test_the_first_pick_appears_while_the_rest_is_computed(large: str) -> None:
    run = Terminal("select", "-c", "jmi", "-n", "1.0", "--format", "indices", large)
    run.wait_for("pick 1")
    assert run.process.poll() is None
    run.process.send_signal(signal.SIGINT)
    out = run.finish()
    assert run.process.returncode == 130
    assert 1 <= len(out.split()) < 1500
    assert "picks so far" in run.seen
    assert "Traceback" not in run.seen


@POSIX
def test_permutations_and_halves_show_how_far_they_are() -> None:
    draws = ["--permutations", "60", "--resamples", "30"]
    run = Terminal("select", "-c", "mim", "-n", "2", *draws, "docs/examples/songs.arff")
    out = run.finish()
    assert "p of pick 2: 50 of 60 permutations" in run.seen
    assert "resamples: 20 of 30 halves of the rows" in run.seen
    assert "permutations" not in out


@POSIX
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_keeps_the_picks_so_far(large: str, tmp_path: Path) -> None:
    place = tmp_path / "part.npz"
    run = Terminal("select", "-c", "jmi", "-n", "1.0", "--format", "json", "-o", str(place), large)
    run.wait_for("pick 1")
    run.process.send_signal(signal.SIGINT)
    document = json.loads(run.finish())
    assert run.process.returncode == 130
    assert document["interrupted"] is True
    got = [pick["index"] for pick in document["selected"]]
    assert list(select(read(large), "jmi", len(got)).indices) == got
    assert read(place).shape[1] == len(got)


@POSIX
@pytest.mark.parametrize(
    ("arguments", "changes"),
    [(["-q"], {}), ([], {"TERM": "dumb"})],
    ids=["quiet", "dumb terminal"],
)
def test_no_progress_where_nobody_wants_it(arguments: list[str], changes: dict[str, str]) -> None:
    run = Terminal("select", *arguments, "-n", "3", SONGS, **changes)
    run.finish()
    assert "pick" not in run.seen
    assert "\x1b" not in run.seen


@POSIX
def test_colours_heed_no_color() -> None:
    coloured = Terminal("select", SONGS + "x")
    coloured.finish()
    plain = Terminal("select", SONGS + "x", NO_COLOR="1")
    plain.finish()
    assert "\x1b[" in coloured.seen
    assert "\x1b[" not in plain.seen


def test_help_starts_without_the_library() -> None:
    program = (
        "import sys; from mlfs.cli import main; main(['--help']);"
        "print([m for m in ('numpy', 'scipy', 'numba') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=ENV, capture_output=True, text=True, check=True
    )
    assert done.stderr == "[]\n"


def test_built_in_criteria_need_no_look_at_what_is_installed() -> None:
    program = (
        "from importlib import metadata\n"
        "real = metadata.entry_points\n"
        "def guarded(**wanted):\n"
        "    assert wanted.get('group') != 'mlfs.criteria', 'plugins were looked for'\n"
        "    return real(**wanted)\n"
        "metadata.entry_points = guarded\n"
        "from mlfs.cli import main\n"
        f"raise SystemExit(main(['select', '-q', '-c', 'scls', '-n', '1', {SONGS!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=ENV, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_library_changes_nothing_around_it() -> None:
    code = (
        "import gc, numba.np.linalg\n"
        "from numba.core import event\n"
        "check, before = numba.np.linalg.ensure_blas, gc.get_threshold()\n"
        f"import mlfs\nmlfs.select({SONGS!r}, 'scls', 3)\n"
        "assert numba.np.linalg.ensure_blas is check\n"
        "assert gc.get_threshold() == before and gc.isenabled() and not gc.callbacks\n"
        "assert not any(event._registered.values())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@POSIX
def test_sigterm_leaves_nothing_behind(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    code = (
        "import sys, time, mlfs.formats as formats; from mlfs.cli import main\n"
        "whole = formats.Format.function\n"
        "def slow(data, stream): stream.write(b'x'); print('open', flush=True); time.sleep(60)\n"
        "formats.Format.function = lambda s, n: slow if n == 'write' else whole(s, n)\n"
        "sys.exit(main())\n"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", code, "convert", SONGS, str(out)],
        env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert run.stdout is not None
    assert run.stdout.readline() == "open\n"
    run.terminate()
    _, err = run.communicate(timeout=60)
    assert run.returncode == 143
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


@POSIX
def test_a_closed_stdout_is_an_error() -> None:
    done = in_bash(f"{{mlfs}} select -q -n 2 {shlex.quote(SONGS)} >&-")
    assert done.returncode == 1
    assert done.stderr.startswith("mlfs: error: cannot read or write 'stdout, which is closed'")


def test_settings_of_numba_that_it_refuses_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENV, "NUMBA_NUM_THREADS", "0")
    done = mlfs("select", "-c", "mim", str(SONGS))
    assert done.returncode == 1
    assert done.stderr.startswith("mlfs: error: numba does not start: ")
    assert done.stderr.count("\n") == 1


@POSIX
def test_sigterm_while_a_criterion_computes_is_no_fault_of_the_criterion() -> None:
    program = (
        "import os, signal, sys, numpy as np\n"
        "from mlfs.criteria.mim import MIM\n"
        "from mlfs.cli import main\n"
        "MIM.relevance = lambda self, info: os.kill(os.getpid(), signal.SIGTERM)\n"
        f"sys.argv = ['mlfs', 'select', '-c', 'mim', '-n', '2', {SONGS!r}]\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=ENV, capture_output=True, text=True, check=False
    )
    assert done.returncode == 143
    assert done.stderr.endswith("mlfs: note: interrupted: there are 0 picks so far\n")


@POSIX
def test_sigterm_keeps_the_picks_so_far() -> None:
    program = (
        "import os, signal, sys\n"
        "from mlfs.criteria.jmi import JMI\n"
        "from mlfs.cli import main\n"
        "term, calls = JMI.term, []\n"
        "def slow(self, info, s):\n"
        "    calls.append(s)\n"
        "    if len(calls) == 3: os.kill(os.getpid(), signal.SIGTERM)\n"
        "    return term(self, info, s)\n"
        "JMI.term = slow\n"
        f"sys.argv = ['mlfs', 'select', '-c', 'jmi', '-n', '9', '--format', 'names', {SONGS!r}]\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=ENV, capture_output=True, text=True, check=False
    )
    assert done.returncode == 143
    assert len(done.stdout.splitlines()) == 3


def test_warm_compiles_what_a_selection_needs(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "mlfs"]
    warm = [*command, "warm"]
    done = subprocess.run(warm, env=environment, capture_output=True, text=True, check=True)
    assert "compiled what a selection needs in " in done.stderr
    kept = {path.name for path in tmp_path.rglob("*.nbc")}
    select = [*command, "select", "-q", "-n", "auto", "songs"]
    subprocess.run(select, env=environment, capture_output=True, check=True)
    assert {path.name for path in tmp_path.rglob("*.nbc")} == kept
    assert kept
