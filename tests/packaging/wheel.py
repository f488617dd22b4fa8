#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/packaging/wheel.py BUILD PORTABLE

Makes the wheel out of PORTABLE, a build folder of the preset portable, and looks at it: what is in it, its checksums, that it is
made alike each time, and that package and program work once it is unpacked as an installer would do. A program that needs more
than glibc, such as BUILD's, must be refused. Where PORTABLE was not built, those cases are left out.
"""
import base64
import csv
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = []


def case(function):
    CASES.append(function)
    return function


def check(good, message):
    if not good:
        raise AssertionError(message)


def installed(build, folder):
    subprocess.run(["cmake", "--install", build, "--prefix", folder, "--strip"], check=True, stdout=subprocess.DEVNULL)
    return folder


def make(prefix, folder):
    folder.mkdir()
    return subprocess.run([ROOT / "scripts" / "make_wheel", prefix, folder], capture_output=True, text=True, check=False)


def wheel_of(folder):
    (path,) = folder.glob("*.whl")
    return path


def unpack(wheel, environment):
    """As pip would: the package, what goes to bin/, and what goes to the environment itself."""
    for entry in wheel.infolist():
        first, _, rest = entry.filename.partition("/")
        if first.endswith(".data"):
            kind, _, rest = rest.partition("/")
            target = environment / ("bin" if kind == "scripts" else "") / rest
        else:
            target = environment / "site" / entry.filename
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(wheel.read(entry))
        target.chmod(entry.external_attr >> 16 & 0o777)


@case
def a_program_that_is_not_portable_is_refused(build, _, folder):
    done = make(installed(build, folder / "prefix"), folder / "out")
    check(done.returncode != 0 and "was not built with the preset portable" in done.stderr, f"{done.returncode}: {done.stdout} {done.stderr}")


@case
def the_wheel_is_whole_and_made_alike_each_time(_, prefix, folder):
    for name in ("one", "two"):
        done = make(prefix, folder / name)
        check(done.returncode == 0, done.stderr)
    first, second = wheel_of(folder / "one"), wheel_of(folder / "two")
    check(first.name == second.name and first.name.endswith("-cp39-abi3-manylinux_2_34_x86_64.whl"), first.name)
    check(first.read_bytes() == second.read_bytes(), "two wheels of the same files differ")
    with zipfile.ZipFile(first) as wheel:
        names = wheel.namelist()
        check(len(names) == len(set(names)), "a name is there twice")
        (record,) = [name for name in names if name.endswith(".dist-info/RECORD")]
        rows = {row[0]: row[1:] for row in csv.reader(wheel.read(record).decode().splitlines())}
        check(set(rows) == set(names), f"RECORD and files differ: {set(rows) ^ set(names)}")
        for name, (digest, size) in rows.items():
            if name != record:
                content = wheel.read(name)
                wanted = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                check((digest, int(size)) == (wanted, len(content)), f"RECORD is wrong about {name}")
        sources = {f"telltale/{path.relative_to(ROOT / 'python' / 'telltale')}" for path in (ROOT / "python" / "telltale").rglob("*.py")}
        check(sources <= set(names), f"missing: {sources - set(names)}")
        check(not [name for name in names if "__pycache__" in name], "compiled files are in it")
        check(b"Requires-Python: >=3.9" in wheel.read(record.replace("RECORD", "METADATA")), "no Requires-Python")


@case
def package_and_program_work_where_they_are_unpacked(_, prefix, folder):
    check(make(prefix, folder / "out").returncode == 0, "no wheel")
    environment = folder / "environment"
    with zipfile.ZipFile(wheel_of(folder / "out")) as wheel:
        unpack(wheel, environment)
    clean = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    version = subprocess.run([environment / "bin" / "telltale", "--version"], capture_output=True, text=True, check=True, env=clean).stdout
    code = "import telltale\nprint('telltale', telltale.__version__)\ntelltale.SummaryWriter('log').add_histogram('h', [1.0, 2.0])\ntelltale.log({'a': 1.0})"
    for site in (environment / "site", environment / "lib" / "telltale" / "python"):
        work = folder / f"work-{site.name}"
        work.mkdir()
        done = subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, check=False, cwd=work,
                              env=dict(clean, PYTHONPATH=str(site), TELLTALE_PROGRAM="", PYTHONDONTWRITEBYTECODE="1"))
        check((done.returncode, done.stdout) == (0, version), f"{done.stdout}{done.stderr}")
        check(sorted(os.listdir(work)) == ["log", "runs"], str(os.listdir(work)))


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build, portable = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        has_portable = all(os.path.exists(f"{portable}/{path}") for path in ("bin/telltale", "python/telltale/_native.abi3.so"))
        prefix = installed(portable, top / "prefix") if has_portable else None
        for function in CASES:
            if prefix is None and function is not a_program_that_is_not_portable_is_refused:
                print(f"skipped: {function.__name__} (the preset portable is not built: scripts/package)")
                continue
            folder = top / function.__name__
            folder.mkdir()
            try:
                function(build, prefix, folder)
                print(f"{function.__name__}: ok")
            except (AssertionError, OSError, subprocess.CalledProcessError) as problem:
                failed += 1
                print(f"{function.__name__}: FAILED: {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
