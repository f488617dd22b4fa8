#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/server/query_limits.py TELLTALE [NAME…]

Sends `telltale view` SQL and regular expressions that try to outlive their limits: each must be answered, whatever the answer,
soon after the 10 seconds of a query, while others are served and the server's memory stays bounded. Every case whose name
contains NAME runs, all without one. Margins are wide: they tell "ends" from "goes on for minutes".
"""
import json
import pathlib
import random
import re
import sys
import tempfile
import threading
import time
import urllib.parse

import harness
from harness import PROFILES, Server, case, check

LIMIT = 10.0  # seconds of a query
MARGIN = 10.0
# Two queries may have 512 MiB each; the rest is the program and the answers.
MOST_MEMORY_MIB = 1400
AT_A_TIME = 2

LONG = "printf('%.*c', 999000, 'a')"
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT "


def doubling(levels):
    """Each name stands for two of the one before."""
    names = ["c0 AS (SELECT 1 AS x)"]
    for i in range(1, levels):
        names.append(f"c{i} AS (SELECT a.x FROM c{i - 1} a, c{i - 1} b WHERE a.x = b.x)")
    return f"WITH {', '.join(names)} SELECT count(*) FROM c{levels - 1}"


def wide(separator, expression, count):
    return separator.join(expression.format(i=i) for i in range(count))


QUERIES = {
    "endless": ENDLESS + "count(*) FROM c",
    "join": "SELECT count(*) FROM " + wide(", ", "events e{i}", 12),
    "sort": ENDLESS + "x FROM c ORDER BY x * 7919 % 1000003",
    "sort of many equal columns": ENDLESS + "x FROM c ORDER BY " + wide(", ", "x * 0 - {i}", 480),
    "sort of long texts": ENDLESS + f"{LONG} || x AS t FROM c ORDER BY t",
    "distinct": ENDLESS + "count(DISTINCT x * 7919) FROM c",
    "median": ENDLESS + "median(x) FROM c",
    "window": ENDLESS + "sum(x) OVER (ORDER BY x % 3, x ROWS BETWEEN 100000 PRECEDING AND CURRENT ROW) FROM c",
    "texts compared with a column": ENDLESS + f"count(*) FROM c JOIN events e ON e.kind = {LONG} || x",
    # a.id, so that each row is computed anew
    "instr": f"SELECT sum(instr({LONG} || a.id, substr({LONG}, 1, 499000) || 'b')) FROM events a, events b, events c",
    "instr of texts beyond the limit": "SELECT instr(printf('%.*c',8000000,'a'), printf('%.*c',4000000,'a')||'b')",
    "replace": f"SELECT sum(length(replace({LONG} || a.id, substr({LONG}, 1, 499000) || 'b', 'c'))) FROM events a, events b, events c",
    "trim": f"SELECT sum(length(trim({LONG} || a.id, printf('%.*c', 499000, 'é') || 'a'))) FROM events a, events b, events c",
    "like": f"SELECT sum({LONG} || a.id LIKE '%' || substr({LONG}, 1, 480) || 'b') FROM events a, events b",
    "glob": f"SELECT sum({LONG} || a.id GLOB '*' || replace(hex(zeroblob(60)), '0', '[ab]') || 'c') FROM events a, events b",
    "regexp": "SELECT sum(hex(randomblob(a.id + 490000)) REGEXP '[0-9A-F]*A[0-9A-F]{1000}x') FROM events a, events b",
    "regexp over short texts": ENDLESS + "sum(hex(randomblob(x % 2 + 5000)) REGEXP '[0-9A-F]*A[0-9A-F]{1000}x') FROM c",
    "json": "SELECT sum(json_array_length(json_insert(json_array(" + wide(", ", "{i}", 99) + "), '$[#]', x))) FROM ("
            + ENDLESS + "x FROM c)",
    "json of many keys": "SELECT json_patch('{'||replace(hex(zeroblob(50000)),'0','\"a\":1,')||'\"b\":1}', "
                         "'{'||replace(hex(zeroblob(50000)),'0','\"c\":1,')||'\"b\":1}')",
    "json tree": "SELECT sum(length(fullkey)) FROM json_tree(replace(hex(zeroblob(400)), '0', '[') || "
                 "replace(hex(zeroblob(400)), '0', ']')) a, events b, events c, events d, events e",
    "prepare": doubling(18),
    "prepare without end": doubling(60),
    "prepare many aggregates": "SELECT " + wide(" + ", "sum(x * {i})", 400) + " FROM (SELECT 1 AS x)",
    "prepare a large join": "SELECT count(*) FROM " + wide(", ", "events e{i}", 60) + " WHERE "
                            + wide(" AND ", "(e{i}.id = e1.id OR e{i}.name = e2.name OR e{i}.step = e3.step)", 60),
    "prepare long names": "SELECT " + wide(", ", "t.*", 499) + " FROM (SELECT 1 AS " + "n" * 60_000 + ") t",
}


def ask(server, sql, limit=1000):
    """(status, document, seconds)"""
    start = time.monotonic()
    status, _, body = server.get(f"{PROFILES}/{server.profile}/query", method="POST",
                                 body=json.dumps({"sql": sql, "limit": limit}).encode())
    return status, json.loads(body), time.monotonic() - start


def open_profile(server):
    """Its id is then in `profile`; waits until it is loaded."""
    server.profile = json.loads(server.get(PROFILES)[2])["profiles"][0]["id"]
    while (status := ask(server, "SELECT 1")[0]) == 202:
        time.sleep(0.05)
    check(status == 200, f"a plain query gave {status}")


def peak_mib(server):
    text = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", text).group(1)) // 1024


@case
def queries_end_at_their_limit():
    with Server() as server:
        open_profile(server)
        waiting = list(QUERIES.items())
        failures = []

        def work():
            while waiting:
                name, sql = waiting.pop(0)
                try:
                    status, answer, seconds = ask(server, sql)
                except Exception as problem:  # a thread must not hide what went wrong
                    failures.append(f"{name}: {problem!r}")
                    continue
                told = answer["error"]["code"] if status != 200 else "answered"
                print(f"  {name}: {told} in {seconds:.1f} s, {peak_mib(server)} MiB", flush=True)
                if status not in (200, 400, 503):
                    failures.append(f"{name}: {status} {answer}")
                if seconds > LIMIT + MARGIN:
                    failures.append(f"{name}: answered after {seconds:.1f} s")

        threads = [threading.Thread(target=work) for _ in range(AT_A_TIME)]
        for thread in threads:
            thread.start()
        slowest = 0.0
        while any(thread.is_alive() for thread in threads):
            start = time.monotonic()
            server.check_alive()
            slowest = max(slowest, time.monotonic() - start)
            time.sleep(0.2)
        check(not failures, "; ".join(failures))
        print(f"  a plain request beside them took {slowest:.2f} s at most, memory {peak_mib(server)} MiB at most")
        check(peak_mib(server) < MOST_MEMORY_MIB, f"{peak_mib(server)} MiB")
        check(slowest < MARGIN, f"a plain request waited {slowest:.1f} s")


@case
def answers_end_at_their_limit():
    large = "printf('%.*c', 999000, char(1))"  # six times as long in JSON
    with Server() as server:
        open_profile(server)
        status, answer, _ = ask(server, "SELECT " + ", ".join([large] * 60))
        check(status == 503 and answer["error"]["code"] == "too_large", f"{status} {str(answer)[:200]}")
        status, answer, _ = ask(server, ENDLESS.replace("FROM c)", "FROM c LIMIT 200)") + f"x, {large} FROM c")
        check(status == 200 and answer["truncated"] and 1 <= len(answer["rows"]) <= 5, f"{status}")
        status, answer, _ = ask(server, ENDLESS.replace("FROM c)", "FROM c LIMIT 20)") + f"x, {LONG} FROM c")
        check(status == 200 and not answer["truncated"] and len(answer["rows"]) == 20, f"{status}")
        print(f"  {peak_mib(server)} MiB at most")
        check(peak_mib(server) < 600, f"{peak_mib(server)} MiB")


@case
def nothing_of_the_process_is_told():
    with Server() as server:
        open_profile(server)
        for call in ("fts3_tokenizer('simple')", "load_extension('x')", "sqlite_source_id()"):
            status, answer, _ = ask(server, f"SELECT hex({call})")
            check(status == 400 and "cannot be used" in answer["error"]["message"], f"{call}: {status} {answer}")
        status, answer, _ = ask(server, "SELECT value FROM json_each('[1,2]')")
        check(status == 200 and answer["rows"] == [[1], [2]], f"{status} {answer}")


@case
def patterns_end_whatever_the_names():
    chance = random.Random(3)
    events = []
    for index, name in enumerate(("a" * 1_000_000, "".join(chance.choice("ab") for _ in range(1_000_000)),
                                  "".join(chance.choice("aaaaaaaaaaaaaaab") for _ in range(900_000)), "é" * 500_000)):
        events.append({"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": 1, "ts": index * 10, "dur": 5})
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "names.json")
        trace.write_text(json.dumps({"traceEvents": events}))
        with Server(paths=(trace,)) as server:
            open_profile(server)
            for option in ("inside", "step-annotation"):
                for pattern in ("(a?){1000}a{1000}b", "(a?){1000}a{1000}c", "(a|b)*a(a|b){1000}c", "((a{100}){100}){100}",
                                "(.*a){900}c", "(é|a?){900}a{900}c"):
                    start = time.monotonic()
                    status, _, body = server.get(f"{PROFILES}/{server.profile}/report?view=steps&{option}="
                                                 + urllib.parse.quote(pattern))
                    seconds = time.monotonic() - start
                    told = json.loads(body).get("error", {}).get("message", "answered")
                    print(f"  {option}={pattern}: {status} in {seconds:.1f} s, {told[:100]}", flush=True)
                    check(status in (200, 400) and seconds < MARGIN, f"{option}={pattern}: {status} after {seconds:.1f} s")
                    check(pattern != "(a|b)*a(a|b){1000}c" or "too much work" in told, told)
            check(peak_mib(server) < 600, f"{peak_mib(server)} MiB")


if __name__ == "__main__":
    sys.exit(harness.main(__doc__))
