#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/docs/query.py TELLTALE [--update]

Runs every command in a ```sh block of docs/query.md and compares what it prints with the ```text block behind it, to the
byte. docs/query_tables.md must be what --schema --markdown prints, so that a table is described in src/query alone. --update writes
both anew.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "query.md"
TABLES = ROOT / "docs" / "query_tables.md"
HEAD = """# Tables of `telltale query`

What [SQL over traces](query.md) can ask for, table by table.

"""
EXAMPLE = re.compile(r"(?<=^```sh\n)(telltale query .*?)(^```\n\n```text\n)(.*?)(?=^```$)", re.M | re.S)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--update"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program = pathlib.Path(sys.argv[1]).resolve()
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    environment.pop("COLUMNS", None)
    failures = []
    count = 0

    def run(match):
        nonlocal count
        count += 1
        command, between, expected = match.groups()
        done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0 or done.stderr:
            failures.append(f"{command}exit code {done.returncode}, {done.stderr}")
        elif done.stdout != expected:
            failures.append(f"{command}prints\n{done.stdout}the page says\n{expected}")
        return command + between + (done.stdout if not done.stderr else expected)

    text = PAGE.read_text(encoding="utf-8")
    fresh = EXAMPLE.sub(run, text)
    if sys.argv[2:]:
        PAGE.write_text(fresh, encoding="utf-8")
    elif count == 0:
        failures.append("docs/query.md has no examples")
    schema = subprocess.run([program, "query", "--schema", "--markdown"], env=environment, capture_output=True, text=True, check=False)
    listed = HEAD + schema.stdout.rstrip() + "\n"
    if sys.argv[2:]:
        TABLES.write_text(listed, encoding="utf-8")
    elif TABLES.read_text(encoding="utf-8") != listed:
        failures.append("docs/query_tables.md is stale: tests/docs/query.py TELLTALE --update writes it")
    for failure in failures:
        print(failure)
    print(f"{count} examples")
    return 1 if failures and not sys.argv[2:] else 0


if __name__ == "__main__":
    sys.exit(main())
