"""Files that nobody would send, to every reader of files: `python -m tests fuzz --minutes 10`.

- `cases.py`     what a case and a target are
- `mutation.py`  changes that any bytes can suffer
- `child.py`     runs cases in a process of its own, with limits of memory and time
- `runner.py`    starts the children, restarts them, and collects what they find
- `command.py`   the options and the report
- `targets.py`   the names of the targets, and the module of each
- `corpus/`      for each target the files that once failed, kept small
- `readers/`     one target for each format of data
- `models/`      the target for model files
- `uses/`        what is done with data that were read: selecting, writing in another format

The readers of large files read every third case once more, in pieces of a few bytes
(`readers/in_pieces.py`): the answer has to be that of the whole.

A new target is a subclass of `Target` and a line in `targets.py`. It makes a case of a seed, runs
it, and says whether it was accepted or refused; anything else is a finding: another exception, a
signal, more time or memory than its bytes deserve, or a `Finding` that it raises itself. A case
that once failed is copied to `corpus/TARGET/` under a name that says what it is; options that it is
read with stand beside it in `NAME.options.json`.
"""
