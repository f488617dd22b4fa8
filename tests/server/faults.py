#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/server/faults.py TELLTALE [NAME…]

Starts `telltale view` on the loopback and treats it badly: garbage, half requests, many clients, foreign names, ways out of
the folder, wrong tokens, taken ports, signals. After each fault a plain request must still be answered. Every case whose
name contains NAME runs, all without one. Limits are wide: they tell "works" from "hangs", not fast from slow.
"""
import http.client
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

import harness
from harness import CHANGES, PATIENCE, PROFILES, TRACE, Server, case, check, read_all, request, status_of


@case
def the_address_is_one_line_and_works():
    with Server() as server:
        check(re.fullmatch(r"http://localhost:\d+/", server.url), server.url)
        status, headers, body = server.get("/")
        check(status == 200 and b"<html" in body.lower(), f"{status} {body[:200]!r}")
        policy = headers["Content-Security-Policy"]
        check("default-src 'none'" in policy and "unsafe" not in policy, policy)
        check(headers["X-Content-Type-Options"] == "nosniff", "sniffing is allowed")
        check(server.get("/some/deep/link")[0] == 200, "client-side routing")
        check(server.get("/missing.js")[0] == 404, "a missing file")
        status, headers, _ = server.get(PROFILES)
        check(server.get(PROFILES, If_None_Match=headers["ETag"])[0] == 304, "ETag")
        status, _, body = server.get("/", Range="bytes=2-5")
        check(status == 206 and len(body) == 4, f"range: {status} {body!r}")
        check(server.get("/", Range="bytes=9999999-")[0] == 416, "a range beyond the end")
        status, headers, body = server.get("/", method="HEAD")
        check(status == 200 and not body and int(headers["Content-Length"]) > 0, "HEAD")


@case
def garbage_is_refused():
    good = request(PROFILES)
    with Server() as server:
        for data in (b"\0" * 100, b"\xff" * 5000, b"\r\n" * 5000, b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n: x\r\n\r\n",
                     b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n",
                     b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                     b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
                     b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                     b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            status = status_of(server.exchange(data))
            check(status is None or 400 <= status < 500, f"{data[:60]!r} gave {status}")
        # Mutations of a good request; the same ones every time.
        chance = random.Random(5)
        for _ in range(400):
            data = bytearray(good)
            for _ in range(chance.randint(1, 8)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            answer = server.exchange(bytes(data[:chance.randint(1, len(data))]))
            check(not answer or status_of(answer) is not None, f"{bytes(data)!r} gave {answer[:60]!r}")
        server.check_alive()


@case
def half_open_and_slow_clients_hold_up_nobody():
    with Server() as server:
        clients = [server.connect() for _ in range(50)]
        for index, client in enumerate(clients):
            client.sendall(request(PROFILES)[:index])
        for _ in range(20):
            server.check_alive()
        # One byte at a time is slow, but it is a request.
        with server.connect() as slow:
            slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in request(PROFILES):
                slow.sendall(bytes([byte]))
            check(status_of(read_all(slow)) == 200, "a slow request")
        # Asks and leaves.
        for _ in range(50):
            with server.connect() as client:
                client.sendall(request("/"))
        for client in clients:
            client.close()
        server.check_alive()


@case
def a_request_that_never_ends_is_closed():
    with Server() as server:
        clients = [server.connect() for _ in range(3)]
        clients[1].sendall(b"GET / HTTP/1.1\r\nHost: lo")
        clients[2].sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
        for client in clients:
            check(read_all(client) == b"", "an answer to nothing")
            client.close()
        server.check_alive()


@case
def too_large_is_refused():
    with Server() as server:
        header = server.exchange(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000 + b"\r\n\r\n")
        check(status_of(header) in (431, None), header[:60])
        many = server.exchange(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: a\r\n" * 20_000 + b"\r\n")
        check(status_of(many) in (431, None), many[:60])
        line = server.exchange(b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        check(status_of(line) == 414, line[:60])
        body = server.exchange(b"POST /api/v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n" + b"a" * 3_000_000)
        check(status_of(body) in (413, None), body[:60])
        chunks = server.exchange(b"POST /api/v1/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                                 + b"10000\r\n" + b"a" * 65536 + b"\r\n" + b"200000\r\n" + b"a" * 0x200000 + b"\r\n0\r\n\r\n")
        check(status_of(chunks) in (411, None), chunks[:60])
        server.check_alive()


@case
def two_hundred_clients_at_once():
    with Server() as server:
        failures = []

        def ask():
            try:
                for _ in range(5):
                    server.check_alive()
            except Exception as problem:  # a thread must not hide what went wrong
                failures.append(problem)

        threads = [threading.Thread(target=ask) for _ in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        check(not failures, f"{len(failures)} failed: {failures[:1]}")


def median_ms(server, count=200):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    times = []
    for _ in range(count):
        start = time.perf_counter()
        connection.request("GET", PROFILES)
        connection.getresponse().read()
        times.append((time.perf_counter() - start) * 1000)
    connection.close()
    times.sort()
    return times[len(times) // 2], times[-1]


@case
def a_thousand_idle_event_clients_slow_nothing():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    with Server() as server:
        alone, _ = median_ms(server)
        clients = [server.connect() for _ in range(1000)]
        for client in clients:
            client.sendall(request(CHANGES, extra="Accept: text/event-stream\r\n"))
        for client in clients:
            got = b""
            while b"event: profiles" not in got:
                part = client.recv(65536)
                check(part, f"an event client was closed after {got[:100]!r}")
                got += part
        crowded, worst = median_ms(server)
        memory = re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{server.process.pid}/status").read_text()).group(1)
        print(f"  plain GET: {alone:.2f} ms alone, {crowded:.2f} ms (at worst {worst:.1f}) beside 1000 event clients, "
              f"{int(memory) // 1024} MiB")
        check(crowded < 20 * alone + 20, "event clients slow down a plain request")
        for client in clients:
            client.close()
        server.check_alive()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@case
def foreign_names_and_origins_are_refused():
    with Server() as server:
        for host in ("evil.example", f"evil.example:{server.port}", "localhost.evil.example", "10.1.2.3", "169.254.169.254"):
            check(server.get(PROFILES, Host=host)[0] == 403, f"Host: {host}")
        for host in ("localhost", f"127.0.0.1:{server.port}", f"[::1]:{server.port}"):
            check(server.get(PROFILES, Host=host)[0] == 200, f"Host: {host}")
        check(server.get("http://evil.example/")[0] == 403, "an absolute target")
        for origin in ("http://evil.example", "null", "http://localhost:1", f"https://localhost:{server.port}0"):
            for method, body in (("GET", None), ("POST", b"{}")):
                check(server.get(PROFILES, method=method, body=body, Origin=origin)[0] == 403, f"{method}, Origin: {origin}")
        check(server.get(PROFILES, Origin=f"http://localhost:{server.port}")[0] == 200, "our own origin")
        check(server.get(PROFILES, Sec_Fetch_Site="cross-site")[0] == 403, "Sec-Fetch-Site")
        check(server.get(CHANGES, Sec_Fetch_Site="cross-site")[0] == 403, "Sec-Fetch-Site, events")
        check(server.get("/", Sec_Fetch_Site="cross-site")[0] == 200, "a link from elsewhere to the page")
        status, headers, _ = server.get(PROFILES, method="OPTIONS", Origin="http://evil.example",
                                        Access_Control_Request_Method="POST")
        check(status >= 400 and "Access-Control-Allow-Origin" not in headers, "a preflight was answered")


@case
def there_is_no_way_out_of_the_folder():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "shown"
        folder.mkdir()
        shutil.copy(TRACE, folder / "trace.json")
        (pathlib.Path(name) / "secret.json").write_text("TOP SECRET")
        with Server(paths=[folder]) as server:
            for way in ("/../secret.json", "/..", "/a/../../secret.json", "/%2e%2e/secret.json", "/%2E%2e%2fsecret.json",
                        "/..%2fsecret.json", "/..%5csecret.json", "/..\\secret.json", "/.%2e/secret.json",
                        "/%252e%252e/secret.json", "/%c0%ae%c0%ae/secret.json", "/..%00/secret.json", "/secret.json%00.js",
                        "//etc/passwd", "/assets/../../../../etc/passwd", "/assets//etc/passwd", "/%2fetc%2fpasswd",
                        f"/{folder.parent}/secret.json", "/api/v1/profiles/../../../secret.json",
                        "/api/v1/profiles/..%2f..%2fsecret.json/report", "/api/v1/profiles/%2e%2e/report",
                        f"/api/v1/profiles/{folder.parent}/secret.json/report", "/file:///etc/passwd", "/....//secret.json"):
                answer = server.exchange(request(way))
                check(status_of(answer) in (400, 404), f"{way} gave {answer[:40]!r}")
                check(b"TOP SECRET" not in answer and b"root:" not in answer, f"{way} led out")
            server.check_alive()


@case
def beyond_loopback_only_with_the_token():
    for option in (("--host", "0.0.0.0"), ("--bind_all",)):
        with Server(*option) as server:
            token = re.search(r"\?token=([\w-]{43})$", server.url)
            check(token, f"no token in {server.url}")
            token = token.group(1)
            for target in ("/", PROFILES, CHANGES, "/?token=", "/?token=" + "A" * 43, f"/?token={token[:-1]}"):
                check(server.get(target)[0] == 401, f"{target} without the token")
            status, headers, body = server.get("/", Accept="text/html")
            check(status == 401 and b"<h1>" in body and headers["WWW-Authenticate"] == "Bearer", "the page for 401")
            status, _, body = server.get(PROFILES)
            check(json.loads(body)["error"]["code"] == "no_token", "the JSON for 401")
            status, headers, _ = server.get(f"/x?a=1&token={token}")
            check(status == 303 and headers["Location"] == "/x?a=1", f"{status} {headers['Location']}")
            cookie, *flags = headers["Set-Cookie"].split("; ")
            check({"HttpOnly", "SameSite=Strict", "Path=/"} <= set(flags), headers["Set-Cookie"])
            check(server.get(PROFILES, Cookie=cookie)[0] == 200, "the cookie")
            check(server.get(PROFILES, Cookie=cookie[:-1])[0] == 401, "a shorter cookie")
            check(server.get(PROFILES, Authorization=f"Bearer {token}")[0] == 200, "the header")
            check(server.get(f"{PROFILES}?token={token}")[0] == 200, "the query of the API")
            check(server.get(PROFILES, Cookie=cookie, Host="evil.example")[0] == 403, "a foreign name with the cookie")
            check(server.get(PROFILES, Cookie=cookie, Host=f"192.168.7.7:{server.port}")[0] == 200, "an address")
    with Server("--bind_all", "--token", "0123456789abcdef") as server:
        check(server.url.endswith("?token=0123456789abcdef"), server.url)
    with Server("--token", "0123456789abcdef") as server:
        check(server.get(PROFILES)[0] == 401, "a token that was asked for on loopback")


@case
def everything_is_below_the_prefix():
    with Server("--path_prefix", "/tt/x/") as server:
        check(server.url.endswith("/tt/x/"), server.url)
        check(server.get("/tt/x" + PROFILES)[0] == 200, "below the prefix")
        check(server.get("/tt/x/")[0] == 200, "the page")
        status, headers, _ = server.get("/tt/x")
        check(status == 308 and headers["Location"] == "/tt/x/", "the prefix without its slash")
        for target in (PROFILES, "/", "/tt/xx/", "/tt"):
            check(server.get(target)[0] == 404, target)


@case
def tls_or_a_reason_why_not():
    with tempfile.TemporaryDirectory() as name:
        key, certificate, other = (os.path.join(name, file) for file in ("key.pem", "cert.pem", "other.pem"))
        run = subprocess.run([harness.program(), "view", TRACE, "--certfile", certificate, "--keyfile", key], capture_output=True, text=True)
        check(run.returncode == 2 and "cannot be read" in run.stderr, run.stderr)
        if shutil.which("openssl") is None:
            print("  openssl is not installed: the rest is left out")
            return
        for file in (key, other):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                            "-keyout", file, "-out", certificate if file == key else os.path.join(name, "unused.pem"), "-days",
                            "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                           check=True, capture_output=True)
        run = subprocess.run([harness.program(), "view", TRACE, "--certfile", certificate, "--keyfile", other], capture_output=True, text=True)
        check(run.returncode == 2 and "is not the key" in run.stderr, run.stderr)
        run = subprocess.run([harness.program(), "view", TRACE, "--certfile", TRACE, "--keyfile", key], capture_output=True, text=True)
        check(run.returncode == 2 and "is no certificate" in run.stderr, run.stderr)
        with Server("--certfile", certificate, "--keyfile", key, "--token", "0123456789abcdef") as server:
            check(server.url.startswith("https://localhost:"), server.url)
            trusted = ssl.create_default_context(cafile=certificate)
            connection = http.client.HTTPSConnection("localhost", server.port, timeout=PATIENCE, context=trusted)
            for _ in range(3):
                connection.request("GET", PROFILES, headers={"Authorization": "Bearer 0123456789abcdef"})
                response = connection.getresponse()
                check(response.status == 200 and b"profiles" in response.read(), "an answer over TLS")
            connection.request("GET", "/?token=0123456789abcdef")
            response = connection.getresponse()
            check("; Secure" in response.headers["Set-Cookie"], "a cookie over TLS")
            connection.close()
            with trusted.wrap_socket(server.connect(), server_hostname="localhost") as client:
                client.sendall(request(CHANGES, extra="Authorization: Bearer 0123456789abcdef\r\n"))
                got = b""
                while b"event: profiles" not in got:
                    part = client.recv(65536)
                    check(part, "the events ended")
                    got += part
            # Plain text, garbage, and silence where a handshake belongs.
            for data in (request("/"), b"\x16\x03\x01" + os.urandom(300), b""):
                check(status_of(server.exchange(data)) is None, "an answer without TLS")
            connection = http.client.HTTPSConnection("localhost", server.port, timeout=PATIENCE, context=trusted)
            connection.request("GET", PROFILES, headers={"Authorization": "Bearer 0123456789abcdef"})
            check(connection.getresponse().status == 200, "after all that")
            connection.close()


@case
def signals_stop_it_cleanly():
    for how in (signal.SIGINT, signal.SIGTERM):
        with Server() as server:
            idle, events = server.connect(), server.connect()
            events.sendall(request(CHANGES))
            check(events.recv(65536), "no events")
            server.check_alive()
            server.stop(how)
            check(server.code == 0, f"{how.name} ended with {server.code}: {server.errors}")
            check(read_all(idle) == b"", "an idle connection")
            read_all(events)
            idle.close()
            events.close()


@case
def a_restart_gets_the_same_port():
    with Server() as server:
        port = server.port
        # The server closes first: its side of the connection lingers.
        server.exchange(request(PROFILES))
        held = server.connect()
        held.sendall(request(CHANGES))
        held.recv(100)
        server.stop(signal.SIGINT)
    with Server(port=port) as again:
        check(again.port == port, f"{again.port}, not {port}")
        again.check_alive()
    held.close()


@case
def after_a_kill_the_same_port():
    with Server() as server:
        port = server.port
        held = server.connect()
        held.sendall(request(CHANGES))
        held.recv(100)
        server.stop(signal.SIGKILL)
    with Server(port=port) as again:
        again.check_alive()
    held.close()


@case
def a_taken_port_is_said():
    with Server() as server:
        run = subprocess.run([harness.program(), "view", TRACE, "--port", str(server.port)], capture_output=True, text=True)
        check(run.returncode == 2 and f"port {server.port} is taken" in run.stderr and not run.stdout, f"{run}")
        server.check_alive()


@case
def what_cannot_be_shown_is_said():
    with tempfile.TemporaryDirectory() as empty:
        for words, code, text in (((os.path.join(empty, "missing.json"),), 3, "missing.json"), ((empty,), 3, "neither runs nor profiles found"),
                                  ((__file__,), 3, "neither runs nor profiles found in"),
                                  ((), 2, "needs a PATH"), ((TRACE, "--port", "x"), 2, "whole number"),
                                  ((TRACE, "--host", "no.such.host.invalid"), 2, "there is no host"),
                                  ((TRACE, "--prot", "1"), 2, "did you mean '--port'")):
            run = subprocess.run([harness.program(), "view", *map(str, words)], capture_output=True, text=True, timeout=PATIENCE)
            check(run.returncode == code and text in run.stderr and not run.stdout, f"{words}: {run}")


@case
def a_large_folder_is_looked_through_while_it_serves():
    with tempfile.TemporaryDirectory() as folder:
        for i in range(20_000):
            pathlib.Path(folder, f"note{i}.txt").touch()
        run = subprocess.run([harness.program(), "view", folder, "--port", "0"], capture_output=True, text=True, timeout=PATIENCE)
        check(run.returncode == 3 and "neither runs nor profiles found" in run.stderr, f"{run}")
        shutil.copy(TRACE, folder)
        with Server(paths=(folder,)) as server:
            server.stop(signal.SIGINT)
            check(server.code == 0, f"{server.code} {server.errors}")
        with Server(paths=(folder,)) as server:
            deadline = time.monotonic() + PATIENCE
            while (listed := json.loads(server.get(PROFILES)[2]))["searching"]:
                check(time.monotonic() < deadline, "it looks forever")
                time.sleep(0.05)
            check(len(listed["profiles"]) == 1 and listed["searched"] == 20_001, f"{listed}")


@case
def without_a_browser_it_still_serves():
    environment = os.environ.get("PATH")
    os.environ["PATH"] = "/nonexistent"
    try:
        with Server("--open") as server:
            server.check_alive()
            server.stop(signal.SIGINT)
            check("xdg-open" in server.errors and server.code == 0, server.errors)
    finally:
        os.environ["PATH"] = environment


if __name__ == "__main__":
    sys.exit(harness.main(__doc__))
