#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/docs/record.py BUILD

Builds the programs of docs/record.md against the recorder as it is installed from the build folder BUILD, with pkg-config and with
CMake, by gcc (and clang where there is one), without warnings; runs them, and looks at what they recorded.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "record"))
import decode_region  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-O1"]
EXPECTED = {"c++": {"scalar": 200, "span_begin": 100, "span_end": 100, "step_begin": 100, "step_end": 100, "note": 1, "text": 1},
            "c": {"scalar": 100, "span_begin": 100, "span_end": 100, "step_begin": 100, "step_end": 100}}


def check(good, message):
    if not good:
        raise AssertionError(message)


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    check(done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def recorded(program, folder, prefix):
    """How many records of each kind the program makes."""
    environment = dict(os.environ, TELLTALE_RUN_DIR=str(folder), LD_LIBRARY_PATH=str(prefix / "lib"))
    run(program, env=environment, cwd=folder.parent)
    regions = list((folder / ".live").glob("*.ring"))
    check(len(regions) == 1, f"{regions}")
    return dict(collections.Counter(record["kind"] for record in decode_region.Region(regions[0]).decoded()))


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    text = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")
    cpp, writer = re.findall(r"```cpp\n(.*?)```", text, re.S)
    (c,) = re.findall(r"```c\n(.*?)```", text, re.S)
    (cmake,) = re.findall(r"```cmake\n(.*?)```", text, re.S)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / "usr"
        run("cmake", "--install", sys.argv[1], "--prefix", prefix, "--component", "record")
        (folder / "train.cpp").write_text(cpp, encoding="utf-8")
        (folder / "writer.cpp").write_text(writer, encoding="utf-8")
        (folder / "train.c").write_text(c, encoding="utf-8")
        flags = run("pkg-config", "--cflags", "--libs", "telltale-record",
                    env=dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib" / "pkgconfig"))).split()
        compilers = [pair for pair in (("g++", "gcc"), ("clang++-19", "clang-19")) if all(map(shutil.which, pair))]
        for number, (cxx, cc) in enumerate(compilers):
            program = folder / f"program-{number}"
            run(cxx, "-std=c++17", *WARNINGS, folder / "train.cpp", *flags, "-o", program)
            found = recorded(program, folder / f"cpp-{number}", prefix)
            check(found == EXPECTED["c++"], f"{cxx}: {found}")
            run(cc, "-std=c11", *WARNINGS, folder / "train.c", *flags, "-o", program)
            found = recorded(program, folder / f"c-{number}", prefix)
            check(found == EXPECTED["c"], f"{cc}: {found}")
            run(cxx, "-std=c++17", *WARNINGS, folder / "writer.cpp", *flags, "-o", program)
            logs = folder / f"logs-{number}"
            logs.mkdir()
            run(program, cwd=logs, env=dict(os.environ, LD_LIBRARY_PATH=str(prefix / "lib")))
            files = sorted(path.parent.relative_to(logs).as_posix() for path in logs.rglob("*tfevents*"))
            check(files == ["runs/one", "runs/one/losses_train", "runs/one/losses_val"], f"{files}")
            print(f"{cxx}, {cc}: ok")
        (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(train CXX)\n" + cmake, encoding="utf-8")
        run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", folder / "build")
        found = recorded(folder / "build" / "train", folder / "cmake-run", prefix)
        check(found == EXPECTED["c++"], f"CMake: {found}")
        print("CMake: ok")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AssertionError as problem:
        print(f"FAILED: {problem}")
        sys.exit(1)
