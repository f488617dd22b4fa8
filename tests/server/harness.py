# SPDX-License-Identifier: Apache-2.0
"""What the tests of the server share: the program under test, requests to it, and the list of cases."""
import contextlib
import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TRACE = ROOT / "tests" / "data" / "gpu_two_steps.json"
PROFILES = "/api/v1/profiles"
CHANGES = "/api/v1/changes"
PATIENCE = 60.0
CASES = []
_program = []


def program():
    """The path of the program under test."""
    return _program[0]


def case(function):
    CASES.append(function)
    return function


def check(good, message):
    if not good:
        raise AssertionError(message)


class Server:
    """The program, until the end of the block; its exit code is then in `code`."""

    def __init__(self, *options, paths=(TRACE,), port="0", command=None):
        # Started from a script's background, Ctrl-C would be ignored.
        self.process = subprocess.Popen(
            [command or program(), "view", *map(str, paths), "--port", str(port), *options], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.url = self.process.stdout.readline().strip()
        self.port = int(re.search(r":(\d+)/", self.url).group(1)) if self.url else 0
        self.code = None

    def __enter__(self):
        check(self.url, f"no address was printed: {self.process.stderr.read() if not self.url else ''}")
        return self

    def __exit__(self, *_):
        self.stop(signal.SIGTERM)

    def stop(self, how):
        if self.code is not None:
            return
        self.process.send_signal(how)
        self.process.stdout.close()
        self.code = self.process.wait(PATIENCE)
        self.errors = self.process.stderr.read()
        self.process.stderr.close()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def exchange(self, data):
        """Sends bytes, returns all that comes back until the server closes."""
        with self.connect() as client:
            with contextlib.suppress(ConnectionError):
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
            return read_all(client)

    def get(self, target, method="GET", body=None, **headers):
        """(status, headers, body); headers' underscores are dashes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {"Host": f"localhost:{self.port}"} | {k.replace("_", "-"): v for k, v in headers.items()}
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        answer = response.status, response.headers, response.read()
        connection.close()
        return answer

    def check_alive(self):
        status, _, body = self.get(PROFILES)
        check(status == 200 and "profiles" in json.loads(body), f"not alive any more: {status} {body!r}")


def read_all(client):
    out = b""
    with contextlib.suppress(ConnectionError):
        while part := client.recv(65536):
            out += part
    return out


def status_of(answer):
    match = re.match(rb"HTTP/1\.1 (\d+) ", answer)
    return int(match.group(1)) if match else None


def request(target, host="localhost", extra=""):
    return f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{extra}\r\n".encode("latin-1")


def main(usage):
    """Runs the cases of the script whose help is `usage`."""
    if len(sys.argv) < 2:
        print(usage.strip(), file=sys.stderr)
        return 2
    _program.append(str(pathlib.Path(sys.argv[1]).resolve()))
    wanted = sys.argv[2:]
    unknown = [name for name in wanted if not any(name in function.__name__ for function in CASES)]
    if unknown:
        print(f"no case has a name that contains {', '.join(unknown)}", file=sys.stderr)
        return 2
    failed = 0
    for function in CASES:
        if wanted and not any(name in function.__name__ for name in wanted):
            continue
        start = time.monotonic()
        try:
            function()
            verdict = "ok"
        except (AssertionError, OSError, http.client.HTTPException, subprocess.SubprocessError, ValueError) as problem:
            failed += 1
            verdict = f"FAILED: {type(problem).__name__}: {problem}"
        print(f"{function.__name__}: {verdict} ({time.monotonic() - start:.1f} s)", flush=True)
    return 1 if failed else 0
