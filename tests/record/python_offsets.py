#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: python_offsets.py [INCLUDE…]
Holds the offsets of Python 3.9 to 3.12 in src/sample/python_layout.cpp against those that a compiler finds in the headers of the
interpreters at hand (the usual places, or the folders that are named). Ends with 1 when one differs, with 77 where there are no such headers
or no compiler."""
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LAYOUT = pathlib.Path(__file__).resolve().parent.parent.parent / "src" / "sample" / "python_layout.cpp"

PROGRAM = r'''
#define Py_BUILD_CORE 1
#include <Python.h>
#if PY_VERSION_HEX >= 0x030B0000
#include <internal/pycore_frame.h>
#include <internal/pycore_code.h>
#endif
#include <internal/pycore_runtime.h>
#include <internal/pycore_interp.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>
#define SAY(name, type, member) printf(#name " %zu\n", offsetof(type, member))
int main(void) {
  printf("minor %d\n", PY_MINOR_VERSION);
  SAY(interpreters, _PyRuntimeState, interpreters.head);
  SAY(next_interpreter, PyInterpreterState, next);
  SAY(next_thread, PyThreadState, next);
  SAY(thread_id, PyThreadState, thread_id);
#if PY_VERSION_HEX < 0x030C0000
  SAY(holder, _PyRuntimeState, gilstate.tstate_current);
#else
  SAY(gil, PyInterpreterState, ceval.gil);
  SAY(gil_locked, struct _gil_runtime_state, locked);
  SAY(gil_holder, struct _gil_runtime_state, last_holder);
  SAY(owner, _PyInterpreterFrame, owner);
#endif
#if PY_VERSION_HEX >= 0x030B0000
  SAY(threads, PyInterpreterState, threads.head);
  SAY(native_thread_id, PyThreadState, native_thread_id);
  SAY(frame, PyThreadState, cframe);
  SAY(of_cframe, _PyCFrame, current_frame);
  SAY(code, _PyInterpreterFrame, f_code);
  SAY(previous, _PyInterpreterFrame, previous);
  SAY(instruction, _PyInterpreterFrame, prev_instr);
  SAY(instructions, PyCodeObject, co_code_adaptive);
  SAY(lines, PyCodeObject, co_linetable);
#else
  SAY(threads, PyInterpreterState, tstate_head);
  SAY(frame, PyThreadState, frame);
  SAY(code, PyFrameObject, f_code);
  SAY(previous, PyFrameObject, f_back);
  SAY(instruction, PyFrameObject, f_lasti);
#if PY_VERSION_HEX >= 0x030A0000
  SAY(lines, PyCodeObject, co_linetable);
#else
  SAY(lines, PyCodeObject, co_lnotab);
#endif
#endif
  SAY(file, PyCodeObject, co_filename);
  SAY(name, PyCodeObject, co_name);
  SAY(first_line, PyCodeObject, co_firstlineno);
  printf("ascii_bytes %zu\ncompact_bytes %zu\n", sizeof(PyASCIIObject), sizeof(PyCompactUnicodeObject));
  return 0;
}
'''


def written():
    """Offsets by minor version, as the source has them."""
    out, text = {}, LAYOUT.read_text()
    for body in re.findall(r"constexpr PythonLayout Python3\d+\(\) \{(.*?)\n\}", text, re.S):
        base = re.search(r"PythonLayout layout = Python3(\d+)\(\);", body)
        values = dict(out[int(base.group(1))]) if base else {}
        for name, value in re.findall(r"layout\.(\w+) = (\w+);", body):
            values.pop(name, None)
            if value != "kNoOffset":
                values[name] = int(value)
        out[values.pop("minor")] = values
    return out


def main():
    compiler = shutil.which("cc") or shutil.which("gcc")
    folders = sys.argv[1:] or [*glob.glob("/usr/include/python3.*"),
                               *glob.glob(os.path.expanduser("~/.pyenv/versions/*/include/python3.*"))]
    known, checked, failed = written(), 0, 0
    for folder in sorted(folders):
        if not compiler or not os.path.exists(os.path.join(folder, "internal", "pycore_runtime.h")):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            source, program = os.path.join(scratch, "offsets.c"), os.path.join(scratch, "offsets")
            pathlib.Path(source).write_text(PROGRAM)
            made = subprocess.run([compiler, "-I" + folder, "-I" + os.path.join(folder, "internal"), source, "-o", program],
                                  capture_output=True, text=True)
            if made.returncode != 0:
                continue  # a version that lays things out in another way: its own table says how
            lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split("\n")
        found = {name: int(value) for name, value in (line.split() for line in lines if line)}
        minor = found.pop("minor")
        if minor not in known:
            continue
        checked += 1
        # 0 is what an offset is unless it is set.
        wrong = [name for name, value in found.items() if known[minor].get(name, 0) != value]
        for name in wrong:
            print("%s: %s is %d, and not %d" % (folder, name, found[name], known[minor].get(name, 0)))
        failed += bool(wrong)
        print("3.%d %s: %d offsets%s" % (minor, folder, len(found), "" if not wrong else ", %d wrong" % len(wrong)))
    if not checked:
        print("no headers of Python 3.9 to 3.12, or no compiler")
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
