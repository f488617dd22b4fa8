#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/server/hostile.py TELLTALE [NAME…]

Tries to get at what `telltale view` must not give away, and to make it fall over: bytes in front of the parser, paths in every
parameter, files that change behind its back, other users of the machine, more clients than it has room for. Cases and limits as in
faults.py.
"""
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import harness
from harness import CHANGES, PATIENCE, PROFILES, TRACE, Server, case, check, read_all, request, status_of

OTHER_USER = 65534
SECRET = "TOP-SECRET-4711"


def memory_mib(server, what="VmHWM"):
    """The most it had at a time, or (VmRSS) what it has."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(rf"{what}:\s+(\d+)", status).group(1)) // 1024


def the_profile(server):
    """The id of the one profile, once it is read."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        profiles = json.loads(server.get(PROFILES)[2])["profiles"]
        if profiles and profiles[0]["state"] == "ready":
            return profiles[0]["id"]
        if profiles:
            server.get(f"{PROFILES}/{profiles[0]['id']}/report?view=overview")
        time.sleep(0.05)
    raise AssertionError("the profile was not read")


@contextlib.contextmanager
def certificate():
    with tempfile.TemporaryDirectory() as name:
        key, cert = os.path.join(name, "key.pem"), os.path.join(name, "cert.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                        key, "-out", cert, "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                       check=True, capture_output=True)
        yield cert, key


HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
LONG_TRAILER = HEAD + b"0\r\nA: " + b"b" * 70_000 + b"\r\n\r\n"


@case
def a_long_trailer_ends_its_connection_only():
    with Server() as server:
        check(status_of(server.exchange(LONG_TRAILER)) in (411, 501), "a body in chunks was taken")
        server.check_alive()
    with Server("--bind_all") as server:
        server.exchange(LONG_TRAILER)
        check(server.get(PROFILES)[0] == 401, "not alive any more")
    with certificate() as (cert, key), Server("--certfile", cert, "--keyfile", key) as server:
        trusted = ssl.create_default_context(cafile=cert)
        with trusted.wrap_socket(server.connect(), server_hostname="localhost") as client:
            with contextlib.suppress(OSError):
                client.sendall(LONG_TRAILER)
            check(status_of(read_all(client)) in (411, 501, None), "a body in chunks was taken")
        with trusted.wrap_socket(server.connect(), server_hostname="localhost") as client:
            client.sendall(request(PROFILES))
            check(status_of(read_all(client)) == 200, "not alive any more")


@case
def no_stream_of_bytes_takes_memory():
    floods = {"chunk extension": (HEAD + b"1;", b"e" * 65536), "chunk size": (HEAD, b"0" * 65536),
              "trailers": (HEAD + b"0\r\n", b"A: b\r\n" * 10_000), "chunks": (HEAD, b"1\r\na\r\n" * 10_000),
              "header": (b"GET / HTTP/1.1\r\nHost: x\r\nX: ", b"h" * 65536), "headers": (b"GET / HTTP/1.1\r\n", b"A: b\r\n" * 10_000),
              "request line": (b"GET /", b"p" * 65536), "nothing": (b"", b"\r\n" * 30_000), "zeros": (b"", b"\0" * 65536)}
    with Server() as server:
        before = memory_mib(server)
        for name, (start, more) in floods.items():
            with server.connect() as client, contextlib.suppress(ConnectionError):
                client.sendall(start)
                for _ in range(300):  # 20 MB
                    client.sendall(more)
            server.check_alive()
            grown = memory_mib(server) - before
            check(grown < 12, f"{name}: {grown} MiB for one connection")
        # A body that nobody may send here is not taken, however many try.
        clients = []
        for _ in range(200):
            client = server.connect()
            clients.append(client)
            with contextlib.suppress(ConnectionError):
                client.sendall(b"POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 900_000)
        server.check_alive()
        grown = memory_mib(server) - before
        check(grown < 80, f"bodies of strangers: {grown} MiB")
        for client in clients:
            client.close()


@case
def unknown_transfer_codings_are_refused_and_closed():
    smuggled = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with Server() as server:
        for coding in (b"xchunked", b"identity", b"chunked, identity", b"chunked, chunked", b"gzip, chunked", b"", b"\tchunked",
                       b"chunked\r\nTransfer-Encoding: identity", b"chunked"):
            answer = server.exchange(b"POST /api/v1/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: " + coding + b"\r\n\r\n" + smuggled)
            check(status_of(answer) in (400, 411, 501), f"{coding!r} gave {answer[:40]!r}")
            check(len(re.findall(rb"HTTP/1\.1 \d", answer)) == 1 and b"close" in answer, f"{coding!r}: a second request was read: {answer!r}")
        answer = server.exchange(b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        check(status_of(answer) == 400, f"chunks in HTTP/1.0: {answer[:40]!r}")
        server.check_alive()


def parameters():
    """(method, path, its parameters) of every route, with those that a command of the same name has."""
    document = json.loads((harness.ROOT / "docs" / "openapi.json").read_text())
    help_text = "".join(subprocess.run([harness.program(), command, "--help"], capture_output=True, text=True, check=True).stdout
                        for command in ("profile", "diff"))
    options = sorted(set(re.findall(r"--([a-z][a-z-]+)", help_text)))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method == "parameters":
                continue
            names = [document["components"]["parameters"][p["$ref"].rsplit("/", 1)[1]]["name"] if "$ref" in p else p["name"]
                     for p in operation.get("parameters", [])]
            yield method.upper(), path, sorted({*names, *options})


@case
def a_path_in_any_parameter_opens_nothing():
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        secret = top / "secret.txt"
        secret.write_text(f"{SECRET}\n")
        peaks = top / "peaks.txt"
        peaks.write_text(f"fp32=1e12\nmemory={SECRET}\n")
        os.mkfifo(top / "pipe")
        (top / "shown").mkdir()
        shutil.copy(TRACE, top / "shown" / "trace.json")
        (top / "shown" / "own.txt").write_text(f"{SECRET}\n")
        with Server(paths=[top / "shown"]) as server:
            profile = the_profile(server)
            values = [secret, peaks, top / "pipe", "/etc/passwd", "/proc/self/environ", "/dev/zero", "../secret.txt",
                      f"file://{secret}", top / "shown" / "own.txt", "own.txt", "-", f"@{secret}"]
            asked = 0
            for method, path, names in parameters():
                if path == CHANGES:
                    continue
                for value in map(str, values):
                    for parameter in names:
                        target = path.replace("{id}", profile).replace("{function}", "0")
                        given = {parameter: value}
                        if path.endswith(("/report", "/report.csv")) and parameter != "view":
                            given["view"] = "roofline" if "peak" in parameter else "operators"
                        status, _, body = server.get(f"{target}?{urllib.parse.urlencode(given)}", method=method,
                                                     body=json.dumps({"sql": f"SELECT '{value}'"}).encode() if method == "POST" else None)
                        asked += 1
                        check(SECRET.encode() not in body and b"root:" not in body and b"PATH=" not in body, f"{target}: {given}: {body[:200]!r}")
                        check(status < 500, f"{target}: {given}: {status} {body[:200]!r}")
                    for part in ("{id}", "{function}"):
                        if part in path:
                            target = path.replace(part, urllib.parse.quote(value, safe="")).replace("{id}", profile).replace("{function}", "0")
                            status, _, body = server.get(target, method=method, body=b"{}" if method == "POST" else None)
                            check(status in (400, 404, 405) and SECRET.encode() not in body, f"{target}: {status} {body[:200]!r}")
            for sql in (f"ATTACH '{secret}' AS x", f"SELECT readfile('{secret}')", f"SELECT * FROM '{secret}'", f"SELECT load_extension('{secret}')",
                        f"VACUUM INTO '{top}/stolen'", f"SELECT * FROM pragma_database_list('{secret}')"):
                status, _, body = server.get(f"{PROFILES}/{profile}/query", method="POST", body=json.dumps({"sql": sql}).encode())
                check(SECRET.encode() not in body, f"{sql}: {body[:200]!r}")
            check(not (top / "stolen").exists(), "a query wrote a file")
            print(f"  {asked} requests")
            server.check_alive()


EVENT = '[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2,"args":%s}]'


@case
def a_file_swapped_after_loading_is_not_read():
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        (top / "shown").mkdir()
        shown = top / "shown" / "a.json"
        secret = top / "x.json"
        secret.write_text(EVENT % f'{{"key":"{SECRET}"}}')

        def swap_link():
            os.symlink(secret, top / "new")
            os.replace(top / "new", shown)

        def swap_fifo():
            os.mkfifo(top / "new")
            os.replace(top / "new", shown)

        def swap_folder():
            shown.unlink()
            os.symlink(top, shown)

        def swap_parent():
            shutil.move(top / "shown", top / "moved")
            (top / "other").mkdir(exist_ok=True)
            shutil.copy(secret, top / "other" / "a.json")
            os.symlink(top / "other", top / "shown")

        for swap in (swap_link, swap_fifo, swap_folder, swap_parent):
            shown.write_text(EVENT % '{"key":"mine"}')
            with Server(paths=[top / "shown"]) as server:
                profile = the_profile(server)
                event = f"{PROFILES}/{profile}/timeline/event?file=0&row=0"
                check(b'"mine"' in server.get(event)[2], "the arguments of an event")
                swap()
                # At once, and as the watcher sees it: every way in which a file is opened again.
                answers = []
                threads = [threading.Thread(target=lambda: answers.append(server.get(event))) for _ in range(40)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join(PATIENCE)
                    check(not thread.is_alive(), f"{swap.__name__}: a request hangs")
                deadline = time.monotonic() + 4
                while time.monotonic() < deadline:
                    answers.append(server.get(event))
                    answers.append(server.get(f"{PROFILES}/{profile}/report?view=operators"))
                    answers.append(server.get(PROFILES))
                    time.sleep(0.2)
                for status, _, body in answers:
                    check(SECRET.encode() not in body, f"{swap.__name__}: {body[:300]!r}")
                server.check_alive()
            if (top / "moved").exists():
                (top / "shown").unlink()
                shutil.move(top / "moved", top / "shown")
            shown.unlink(missing_ok=True)


@case
def fifos_and_links_that_were_always_there_are_left_alone():
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        (top / "shown").mkdir()
        shutil.copy(TRACE, top / "shown" / "trace.json")
        (top / "secret.json").write_text(EVENT % f'{{"key":"{SECRET}"}}')
        os.mkfifo(top / "shown" / "pipe.json")
        os.mkfifo(top / "shown" / "pipe.pt.trace.json")
        for target in ("../secret.json", top / "secret.json", "/dev/zero", "/proc/self/mem", "loop.json"):
            link = top / "shown" / "loop.json" if target == "loop.json" else top / "shown" / f"{abs(hash(str(target)))}.json"
            os.symlink(target, link)
        with Server(paths=[top / "shown"]) as server:
            time.sleep(2)
            profiles = json.loads(server.get(PROFILES)[2])["profiles"]
            check([p["paths"] for p in profiles] == [[str(top / "shown" / "trace.json")]], f"{profiles}")


def as_user(server, user, target, token=None):
    """(status, body) that a program of another user gets."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            status, _, body = server.get(target, **({"Authorization": f"Bearer {token}"} if token else {}))
            os.write(theirs, f"{status} ".encode() + body[:4000])
        finally:
            os._exit(0)
    os.close(theirs)
    with open(ours, "rb") as pipe:
        answer = pipe.read().decode(errors="replace")
    os.waitpid(child, 0)
    check(answer, "the other user got no answer")
    return int(answer.split()[0]), answer


@case
def other_users_of_the_machine_need_the_token():
    if os.geteuid() != 0:
        print("skipped: other_users_of_the_machine_need_the_token (only root can be somebody else)")
        return
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(TRACE, name)
        os.chmod(name, stat.S_IRWXU)
        with Server(paths=[name]) as server:
            check("token" not in server.url, server.url)
            server.check_alive()
            for target in ("/", PROFILES, CHANGES):
                status, text = as_user(server, OTHER_USER, target)
                check(status == 401 and "trace" not in text.lower().replace("traceback", ""), f"{target}: {text[:200]}")
            # The words with which the server told its user how to let them in.
            server.stop(15)
            token = re.search(r"\?token=([\w-]{43})", server.errors)
            check(token and server.errors.count("?token=") == 1, server.errors)
        with Server("--token", "0123456789abcdef") as server:
            check(as_user(server, OTHER_USER, PROFILES)[0] == 401, "without the token")
            check(as_user(server, OTHER_USER, PROFILES, "0123456789abcdef")[0] == 200, "with the token")
        with Server("--no-token") as server:
            check(as_user(server, OTHER_USER, PROFILES)[0] == 200, "--no-token")
            server.check_alive()


@case
def a_token_comes_from_a_file_or_the_environment():
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "token"
        file.write_text("0123456789abcdef-file\n")
        file.chmod(0o600)
        with Server("--token-file", file) as server:
            check(server.url.endswith("?token=0123456789abcdef-file"), server.url)
            check(b"0123456789abcdef" not in pathlib.Path(f"/proc/{server.process.pid}/cmdline").read_bytes(), "the command line")
            check(server.get(PROFILES)[0] == 401, "without it")
            check(server.get(PROFILES, Authorization="Bearer 0123456789abcdef-file")[0] == 200, "with it")
            server.stop(15)
            check("chmod" not in server.errors, server.errors)
        file.chmod(0o644)
        with Server("--token-file", file) as server:
            server.stop(15)
            check("chmod 600" in server.errors, server.errors)
        os.environ["TELLTALE_TOKEN"] = "0123456789abcdef-environment"
        try:
            with Server() as server:
                check(server.url.endswith("?token=0123456789abcdef-environment"), server.url)
        finally:
            del os.environ["TELLTALE_TOKEN"]
        file.write_text("short\n")
        for words, text in ((("--token-file", file), "--token-file takes 16 to 256"), (("--token-file", "/nonexistent"), "does not exist"),
                            (("--token", "0123456789abcdef", "--no-token"), "only one"), (("--no-token", "--bind_all"), "without a token")):
            run = subprocess.run([harness.program(), "view", TRACE, "--port", "0", *map(str, words)], capture_output=True, text=True, timeout=PATIENCE)
            check(run.returncode in (2, 3) and text in run.stderr and not run.stdout, f"{words}: {run}")


@case
def another_servers_cookie_of_the_same_name_is_passed_over():
    with Server("--token", "0123456789abcdef") as server:
        name = f"telltale_{server.port}"
        check(server.get(PROFILES, Cookie=f"{name}=other; {name}=0123456789abcdef")[0] == 200, "the second cookie")
        check(server.get(PROFILES, Cookie=f"{name}=other; {name}=another")[0] == 401, "two wrong ones")
        check(server.get(PROFILES, Cookie=f"{name}=0123456789abcdef", Sec_Fetch_Site="Cross-Site")[0] == 403, "Sec-Fetch-Site in another case")


@case
def two_thousand_idle_streams_lock_nobody_out():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    clients = []
    try:
        with Server() as server:
            for _ in range(2048):
                client = server.connect()
                client.sendall(request(CHANGES, extra="Accept: text/event-stream\r\n").replace(b"Connection: close\r\n", b""))
                clients.append(client)
            time.sleep(0.5)  # what is silent for a moment gives way
            for _ in range(20):
                server.check_alive()
            # And as many that never say a word.
            for _ in range(1200):
                clients.append(server.connect())
            time.sleep(0.5)
            for _ in range(20):
                server.check_alive()
            with server.connect() as last:
                last.sendall(request(CHANGES))
                answer = last.recv(65536)
                check(status_of(answer) in (200, 503), f"a stream more: {answer[:100]!r}")
            print(f"  {memory_mib(server)} MiB")
    finally:
        for client in clients:
            client.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


# Ends at its time limit, or when its client leaves.
ENDLESS = json.dumps({"sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT max(i) FROM n"}).encode()


@case
def small_requests_do_not_wait_behind_queries():
    with Server() as server:
        target = f"{PROFILES}/{the_profile(server)}/query"
        clients = []
        for _ in range(40):
            client = server.connect()
            client.sendall(f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(ENDLESS)}\r\n\r\n".encode() + ENDLESS)
            clients.append(client)
        start = time.monotonic()
        for _ in range(20):
            server.check_alive()
        took = time.monotonic() - start
        check(took < 8, f"20 small requests took {took:.1f} s beside 40 queries")
        # They leave: nothing of theirs is run to its end.
        for client in clients:
            client.close()
        # (Until the server has seen that they left, it may say that it is busy.)
        start = time.monotonic()
        status = 503
        while status == 503 and time.monotonic() - start < 30:
            status, _, _ = server.get(target, method="POST", body=b'{"sql": "SELECT 1"}')
            time.sleep(0.05)
        took = time.monotonic() - start
        check(status == 200 and took < 30, f"{status} after {took:.1f} s: 40 queries that nobody waits for any more were run")


@case
def an_access_log_says_what_was_answered():
    with tempfile.TemporaryDirectory() as name:
        log = pathlib.Path(name) / "access.log"
        with Server("--access-log", log, "--token", "0123456789abcdef") as server:
            server.get(PROFILES, Authorization="Bearer 0123456789abcdef")
            server.get("/x?a=1&token=0123456789abcdef")
            server.exchange(b"garbage\r\n\r\n")
            server.exchange(request("/\x1b[2J"))
        lines = log.read_text().splitlines()
        check(len(lines) == 4 and "0123456789abcdef" not in log.read_text(), lines)
        check(re.fullmatch(r'127\.0\.0\.1 - - \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET /api/v1/profiles HTTP/1\.1" 200 \d+ \d+\.\d{3}', lines[0]), lines[0])
        check('"GET /x?a=1 HTTP/1.1" 303' in lines[1] and '"-" 400' in lines[2], lines)
        check(stat.S_IMODE(log.stat().st_mode) == 0o600, "others can read it")
        run = subprocess.run([harness.program(), "view", TRACE, "--port", "0", "--access-log", "/nonexistent/x"], capture_output=True, text=True)
        check(run.returncode == 2 and "cannot be written" in run.stderr, f"{run}")


@case
def tls_has_forward_secrecy_and_hsts():
    with certificate() as (cert, key):
        os.chmod(key, 0o644)
        with Server("--certfile", cert, "--keyfile", key) as server:
            for suites in ("AES128-SHA", "AES256-GCM-SHA384", "AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA"):
                weak = ssl.create_default_context(cafile=cert)
                weak.maximum_version = ssl.TLSVersion.TLSv1_2
                weak.set_ciphers(suites)
                try:
                    with weak.wrap_socket(server.connect(), server_hostname="localhost"):
                        raise AssertionError(f"{suites} was taken")
                except ssl.SSLError:
                    pass
            for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                good = ssl.create_default_context(cafile=cert)
                good.minimum_version = good.maximum_version = version
                for host, age in (("localhost", b"max-age=60"), ("trainer.example", b"max-age=31536000")):
                    with good.wrap_socket(server.connect(), server_hostname="localhost") as client:
                        client.sendall(request(PROFILES, host=host))
                        answer = read_all(client)
                        check(b"Strict-Transport-Security: " + age in answer, answer[:300])
            server.stop(15)
            check("chmod 600" in server.errors, server.errors)
    with Server() as server:
        check("Strict-Transport-Security" not in server.get(PROFILES)[1], "HSTS without TLS")


if __name__ == "__main__":
    sys.exit(harness.main(__doc__))
