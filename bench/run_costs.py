# SPDX-License-Identifier: Apache-2.0
"""usage: run_costs.py TELLTALE SWEEP MANY GROWING

What runs cost without a browser, as one JSON object (bench/README.md):
  second_start  `telltale runs SWEEP` without a cache and with the one of an earlier start, in turns; seconds and peak bytes
  table         filter and sort of MANY runs over HTTP, some questions, best of several rounds each; ms
  follow        `telltale view GROWING`: share of a core while nothing happens, and seconds from an appended point to the event
GROWING is a folder of runs that is appended to: a copy of it is made.
"""

from __future__ import annotations

import http.client
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Callable
from urllib.parse import quote, urlsplit

START_SECONDS = 120
IDLE_SECONDS = 20
ROUNDS = 5


def Timed(command: list[str]) -> dict[str, float]:
    """One process from start to end."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ends with {process.returncode}")
    return {"seconds": seconds, "cpu_seconds": usage.ru_utime + usage.ru_stime, "peak_bytes": usage.ru_maxrss * 1024}


def SecondStart(telltale: str, folder: str) -> dict[str, Any]:
    command = [telltale, "runs", folder, "--limit", "1", "--csv", "--columns", "name", "--quiet"]
    shutil.rmtree(pathlib.Path(folder) / ".telltale" / "cache", ignore_errors=True)
    Timed(command)  # writes the cache, and all files are in memory
    turns = [(Timed([*command, "--no-cache"]), Timed(command)) for _ in range(ROUNDS)]
    return {"first": [first for first, _ in turns], "second": [second for _, second in turns]}


class Server:
    """A `telltale view`, for as long as it is asked."""

    def __init__(self, telltale: str, folder: str) -> None:
        self.process = subprocess.Popen([telltale, "view", folder, "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        address = urlsplit(self.process.stdout.readline().strip())
        self.host, self.port = address.hostname or "", address.port or 0

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def Connect(self, seconds: float = START_SECONDS) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=seconds)

    def Get(self, path: str) -> Any:
        connection = self.Connect()
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {body[:200]!r}")
        return json.loads(body)

    def Await(self, runs: int) -> None:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            listed = self.Get("/api/v1/runs?limit=1")
            if listed["all"] >= runs:
                return
            time.sleep(0.1)
        raise RuntimeError(f"not all of {runs} runs are there after {START_SECONDS} s")

    def ProcessorSeconds(self) -> float:
        """Of all its threads; those that ended do not count, and it ends none while it serves."""
        threads = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(path.read_text(encoding="utf-8").split()[0]) for path in threads) / 1e9


def RunsBelow(folder: str) -> int:
    return sum(1 for entry in pathlib.Path(folder).iterdir() if entry.is_dir() and not entry.name.startswith("."))


def FirstTag(server: Server) -> str:
    return server.Get("/api/v1/runs/columns")["metrics"][0]["name"]


def BestMs(server: Server, work: Callable[[], object]) -> dict[str, float]:
    """By the clock, and of the server's processor time, which a busy machine changes little."""
    clock, processor = [], []
    for _ in range(ROUNDS):
        before, start = server.ProcessorSeconds(), time.perf_counter()
        work()
        clock.append(time.perf_counter() - start)
        processor.append(server.ProcessorSeconds() - before)
    return {"clock_ms": min(clock) * 1e3, "processor_ms": min(processor) * 1e3}


def Table(telltale: str, folder: str) -> dict[str, dict[str, float]]:
    with Server(telltale, folder) as server:
        server.Await(RunsBelow(folder))
        tag = FirstTag(server)
        questions = {
            "list": "",
            "filter": f"&where={quote(f'`{tag}` < 0.5')}",
            "sort by name": "&sort=-name",
            "sort by metric": f"&sort={quote('-' + tag)}",
            "filter and sort": f"&where={quote('name ~ run_.*7')}&sort={quote(tag)}",
        }
        return {name: BestMs(server, lambda more=more: server.Get(f"/api/v1/runs?limit=100&metrics={quote(tag)}{more}"))
                for name, more in questions.items()}


def Crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def Record(step: int, tag: bytes, value: float) -> bytes:
    """An event with one scalar."""
    def Varint(number: int) -> bytes:
        out = b""
        while number > 127:
            out += bytes([number & 127 | 128])
            number >>= 7
        return out + bytes([number])

    def Bytes(field: int, content: bytes) -> bytes:
        return bytes([field << 3 | 2]) + Varint(len(content)) + content

    summary = Bytes(1, Bytes(1, tag) + b"\x15" + struct.pack("<f", value))
    event = b"\x09" + struct.pack("<d", time.time()) + b"\x10" + Varint(step) + Bytes(5, summary)
    length = struct.pack("<Q", len(event))
    return length + struct.pack("<I", Crc32c(length)) + event + struct.pack("<I", Crc32c(event))


def Follow(telltale: str, folder: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as top:
        growing = pathlib.Path(top) / "runs"
        shutil.copytree(folder, growing, ignore=shutil.ignore_patterns(".telltale"))
        files = sorted(growing.rglob("*tfevents*"))
        with Server(telltale, str(growing)) as server:
            server.Await(RunsBelow(str(growing)))
            tag = FirstTag(server).encode()
            time.sleep(3)
            before, start = server.ProcessorSeconds(), time.perf_counter()
            time.sleep(IDLE_SECONDS)
            share = (server.ProcessorSeconds() - before) / (time.perf_counter() - start)

            told: list[float] = []
            stream = server.Connect()
            stream.request("GET", "/api/v1/changes")
            answer = stream.getresponse()
            awaited = threading.Event()

            def Listen() -> None:
                name = b""
                try:
                    while line := answer.readline():
                        if line.startswith(b"event:"):
                            name = line[6:].strip()
                        elif line.startswith(b"data:") and name == b"runs" and awaited.is_set() and tag in line:
                            told.append(time.perf_counter())
                            awaited.clear()
                except (OSError, ValueError, AttributeError):
                    pass  # the server ended

            threading.Thread(target=Listen, daemon=True).start()
            time.sleep(1)
            latencies = []
            for step in range(ROUNDS):
                awaited.set()
                start = time.perf_counter()
                with files[step * len(files) // ROUNDS].open("ab") as out:
                    out.write(Record(step, tag, 0.5))
                end = time.monotonic() + 20
                while len(told) <= step and time.monotonic() < end:
                    time.sleep(0.005)
                if len(told) <= step:
                    raise RuntimeError("an appended point was not told within 20 s")
                latencies.append(told[step] - start)
                time.sleep(0.37)  # not in step with the server's looks
            return {"files": len(files), "idle_core_share": share, "appended_seconds": latencies}


def Main() -> int:
    if len(sys.argv) != 5:
        print(__doc__, file=sys.stderr)
        return 2
    telltale, sweep, many, growing = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    result: dict[str, Any] = {}
    failed: dict[str, str] = {}
    for name, work in {"second_start": lambda: SecondStart(telltale, sweep), "table": lambda: Table(telltale, many),
                       "follow": lambda: Follow(telltale, growing)}.items():
        print(f"measuring: {name}", file=sys.stderr)
        try:
            result[name] = work()
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            failed[name] = str(error)
    print(json.dumps({**result, "failed": failed}))
    return 0


if __name__ == "__main__":
    sys.exit(Main())
