"""Chromium, driven through its own protocol on two pipes."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60.0


class Browser:
    """One tab."""

    def __init__(self, reading: int, writing: int) -> None:
        self._in, self._out, self._rest, self._id = reading, writing, b"", 0
        self.events: list[dict[str, Any]] = []
        target = self._call("Target.createTarget", {"url": "about:blank"}, "")["targetId"]
        attach = {"targetId": target, "flatten": True}
        self._session = self._call("Target.attachToTarget", attach, "")["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._call(method, parameters, self._session)

    def _call(self, method: str, parameters: dict[str, Any], session: str) -> dict[str, Any]:
        self._id += 1
        message = {"id": self._id, "method": method, "params": parameters}
        message |= {"sessionId": session} if session else {}
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._id:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._in, 1 << 16)
            assert part, "the browser is gone"
            self._rest += part
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, url: str) -> None:
        self.events.clear()
        self.call("Page.navigate", url=url)
        end = time.monotonic() + PATIENCE
        while self.run("document.readyState") != "complete" or not self.run("!!window.explorer"):
            assert time.monotonic() < end, self.events
            time.sleep(0.02)

    def run(self, script: str) -> Any:
        result = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def requested(self) -> list[str]:
        self.run("1")
        sent = [e for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; the test is skipped where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("needs chromium")
    to_read, to_write = os.pipe(), os.pipe()
    theirs = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_write[0], to_read[1])]
    with tempfile.TemporaryDirectory() as profile:
        options = "--headless --no-sandbox --disable-gpu --no-first-run --remote-debugging-pipe"
        script = f'exec "$0" {options} "$@" 3<&{theirs[0]} 4>&{theirs[1]}'
        child = subprocess.Popen(
            ["bash", "-c", script, program, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (*theirs, to_write[0], to_read[1]):
            os.close(end)
        try:
            yield Browser(to_read[0], to_write[1])
        finally:
            os.close(to_write[1])
            os.close(to_read[0])
            child.terminate()
            child.wait(20)
            time.sleep(0.2)  # its children let go of the profile
            shutil.rmtree(profile, ignore_errors=True)
            Path(profile).mkdir(exist_ok=True)
