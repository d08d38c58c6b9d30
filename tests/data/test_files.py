"""Files in and out: compression, limits, formats by suffix, whole or not at all."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from mlfs.data import FORMATS, Dataset, Limits, read, write
from mlfs.data.dataset import Column, Label, Source
from mlfs.data.files import InputFile
from mlfs.data.formats import format_of
from mlfs.data.whole_files import replacing
from mlfs.errors import DataError, ParseError, UnknownName, UsageError

PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
ARFF = b"@relation 't: -C 1'\n@attribute l {0,1}\n@attribute a real\n@data\n1,2.5\n"


def read_bytes(path, limits=None):
    return InputFile(path, limits or Limits()).content()


def small() -> Dataset:
    return Dataset(
        np.array([[1.5], [2.0]]),
        np.array([[0], [1]], dtype=np.int8),
        (Column("a"),),
        (Label("l"),),
        source=Source(relation="Music: -C 6"),
    )


def interrupted(path: Path) -> None:
    with replacing(str(path), force=True) as stream:
        stream.write(b"new")
        raise KeyboardInterrupt


def overtaken(path: Path) -> None:
    with replacing(str(path)) as stream:
        stream.write(b"mine")
        path.write_text("theirs")


class Stdin:
    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("suffix", PACK)
def test_compression_by_suffix_and_by_magic(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"t.arff{suffix}"
    path.write_bytes(PACK[suffix](ARFF))
    assert read_bytes(str(path)) == ARFF
    assert read(path).X.tolist() == [[2.5]]
    monkeypatch.setattr(sys, "stdin", Stdin(PACK[suffix](ARFF)))
    data = read("-")
    assert data.Y.tolist() == [[1]]
    assert data.source.path == "-"


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_broken_archives(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.arff{suffix}"
    for content in (PACK[suffix](ARFF)[:-12], b"plain text", PACK[suffix](ARFF)[:5]):
        path.write_bytes(content)
        with pytest.raises(DataError, match=f"is not a whole {suffix} file"):
            read(path)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_bombs(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.arff{suffix}"
    path.write_bytes(PACK[suffix](b"%" * (40 << 20)))
    with pytest.raises(ParseError, match="unpacked bytes are more than the limit of 1048576"):
        read_bytes(str(path), Limits(max_decompressed=1 << 20))


def test_limit_of_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(b"x" * 3_000_000))
    with pytest.raises(ParseError, match="raise it with --limit max_decompressed="):
        read_bytes("-", Limits(max_decompressed=1000))


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no file '.*no\.arff'"):
        read(tmp_path / "no.arff")
    with pytest.raises(UsageError, match="is a folder, not a file"):
        read(tmp_path)
    with pytest.raises(UsageError, match="is not the name of a file"):
        read("a\x00b.arff")


@pytest.mark.parametrize("name", ["x.pkl", "x.PICKLE", "x.joblib", "x.dump", "x.dump.bz2"])
def test_a_pickle_is_never_opened(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"\x80\x04\x95")
    with pytest.raises(UsageError, match=r"is a pickle by its name, which is never opened"):
        read(path)


def test_formats_by_suffix_and_first_line(tmp_path: Path) -> None:
    for name, form in FORMATS.items():
        for suffix in form.suffixes:
            assert format_of(f"a/b{suffix.upper()}.gz") == name
    for content, name in [
        (b"3 5 2\n0 1:2\n", "xmc"),
        (b"% c\n@RELATION x\n", "arff"),
        (b"\xef\xbb\xbf@relation x\n", "arff"),
        (b"1,2 3:0.5\n", "svmlight"),
        (b" 3:0.5\n", "svmlight"),
        (b"a,b\n1,2\n", "csv"),
        (b"a\tb\n1\t2\n", "tsv"),
    ]:
        assert format_of("t.txt", content=content) == name
        assert format_of("-", content=content) == name
    assert format_of("-", "arff") == format_of("t.csv", ".ARFF") == "arff"
    with pytest.raises(UnknownName, match="unknown format 'arf': did you mean 'arff'"):
        format_of("t.csv", "arf")
    with pytest.raises(UsageError, match=r"the format of 't.xyz' does not follow.*arff \(\.arff\)"):
        format_of("t.xyz", content=ARFF)
    with pytest.raises(UsageError, match="say it with format"):
        format_of("-", content=b"hello")
    with pytest.raises(UsageError, match="a column of lists is empty"):
        read(tmp_path / "t.csv", separator="")


@pytest.mark.parametrize("suffix", PACK)
def test_writing_is_whole_and_the_same_each_time(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.arff{suffix}"
    write(small(), path)
    first = path.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name, "t.xml"]
    with pytest.raises(UsageError, match="is there already; say force=True to replace it"):
        write(small(), path)
    write(small(), path, force=True)
    assert path.read_bytes() == first
    assert read(path).source.relation == "Music: -C -1"


def test_label_file_of_others_is_not_replaced(tmp_path: Path) -> None:
    xml = tmp_path / "t.xml"
    xml.write_text("<labels><label name='other'/></labels>")
    with pytest.raises(UsageError, match=r"t\.xml' is there already"):
        write(small(), tmp_path / "t.arff")
    assert [p.name for p in tmp_path.iterdir()] == ["t.xml"]
    write(small(), tmp_path / "t.arff", force=True)
    assert read(tmp_path / "t.arff").label_names == ["l"]
    write(small(), tmp_path / "t.arff.gz")


def test_nothing_is_left_of_a_write_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        interrupted(path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]
    broken = Dataset(np.ones((2, 1)), np.zeros((1, 1), np.int8), (Column("a"),), (Label("l"),))
    with pytest.raises(IndexError):
        write(broken, tmp_path / "new.arff")
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with pytest.raises(UsageError, match="is there already"):
        overtaken(path)
    assert path.read_text() == "theirs"


def test_writing_keeps_links_modes_and_devices(tmp_path: Path) -> None:
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    with replacing(str(link), force=True) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640
    with replacing(os.devnull) as stream:
        stream.write(b"gone")
    assert not Path(os.devnull).is_file()
    with pytest.raises(UsageError, match="it is a folder"), replacing(str(tmp_path)):
        pass
    absent = str(tmp_path / "no" / "t.csv")
    with pytest.raises(UsageError, match="No such file or directory"), replacing(absent):
        pass


def test_standard_output_stands_alone(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write(small(), "-")
    written = capfdbinary.readouterr().out
    assert written.startswith(b"@relation 'Music: -C 1'\n")
    assert written.endswith(b"0,1.5\n1,2\n")


def test_limits_are_raised_by_name() -> None:
    assert Limits().raised(["max-cells=5", "max_decompressed=2G"]).max_decompressed == 2 << 30
    with pytest.raises(UnknownName, match="unknown limit 'max_cell': did you mean 'max_cells'"):
        Limits().raised(["max_cell=5"])
    for wrong in ("max_cells", "max_cells=", "max_cells=-1", "max_cells=0", "max_cells=x"):
        with pytest.raises(UsageError, match="a limit is set as max_cells=NUMBER"):
            Limits().raised([wrong])


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_streams_one_after_the_other_are_one_text(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"a.arff{suffix}"
    file.write_bytes(PACK[suffix](ARFF) + PACK[suffix](b"0,3\n"))
    assert read_bytes(str(file)) == ARFF + b"0,3\n"
    for whole in (file.read_bytes()[:20], b""):
        file.write_bytes(whole)
        if whole or suffix != ".gz":
            with pytest.raises(DataError, match="not a whole"):
                read_bytes(str(file))


def test_the_advice_for_a_limit_gets_past_it(tmp_path: Path) -> None:
    packed = tmp_path / "b.arff.gz"
    packed.write_bytes(gzip.compress(b"0" * (6 << 20)))
    with pytest.raises(DataError, match=r"max_decompressed=\d+") as caught:
        read_bytes(str(packed), Limits(max_decompressed=4 << 20))
    advised = int(str(caught.value).rpartition("=")[2])
    assert len(read_bytes(str(packed), Limits(max_decompressed=advised))) == 6 << 20


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh9", b"\x89HDF"])
def test_a_binary_file_is_not_taken_for_an_encoding(tmp_path: Path, start: bytes) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(start + b"\xff\xae" * 20)
    with pytest.raises(DataError, match="no text but") as caught:
        read(file, labels="l")
    assert "cp1252" not in str(caught.value)


def test_a_pipe_behind_a_name_is_written(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with replacing(f"/dev/fd/{writer}") as stream:
        stream.write(b"x")
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        assert stream.read() == b"x"


def test_a_device_gets_no_label_file_beside_it(tmp_path: Path) -> None:
    write(small(), os.devnull, format="csv")
    assert not Path(os.devnull + ".xml").exists()


def test_an_output_named_as_a_pickle_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not written"):
        write(small(), tmp_path / "a.pkl")


def test_a_full_disk_says_which_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    path = str(tmp_path / "t.json")
    with pytest.raises(OSError, match="No space left") as caught, replacing(path) as stream:
        stream.write(b"x")
    assert caught.value.filename == path
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".arff", ".csv", ".svm", ".xmc", ".npz", ".mat", ".gz", ""])
def test_an_empty_file_is_reported(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}"
    path.write_bytes(gzip.compress(b"") if suffix == ".gz" else b"")
    with pytest.raises(DataError, match="the file is empty"):
        read(path)


def test_empty_standard_input_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(UsageError, match="standard input is empty"):
        read("-")


@pytest.mark.parametrize(("name", "line"), [("x.rda", r"get\(load\("), ("x.RDS", r"readRDS\(")])
def test_files_of_r_are_named_with_what_writes_csv(name: str, line: str) -> None:
    with pytest.raises(UsageError, match=rf"is a file of R, .*{line}.*write\.csv"):
        read(name, labels="y")
