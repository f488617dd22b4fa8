#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/packaging/contents.py BUILD

Installs the build folder BUILD into a folder of its own, as scripts/install and both packages do, and looks at what is
there: the program, the documents with their licences, a manual page for each command that says all that --help says,
nothing that is empty. Needs no privileges.
"""
import collections
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = []


def case(function):
    CASES.append(function)
    return function


def check(good, message):
    if not good:
        raise AssertionError(message)


class Tree:
    """What is installed below `prefix`."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.documents = prefix / "share" / "doc" / "telltale"
        self.manual = prefix / "share" / "man" / "man1"

    def help(self, *words):
        return subprocess.run([self.prefix / "bin" / "telltale", *words], capture_output=True, text=True, check=True).stdout

    def commands(self):
        """Those with a help text of their own."""
        listed = re.search(r"^Commands:\n((?:  .*\n)+)", self.help("--help"), re.M).group(1)
        return [name for name in re.findall(r"^  ([a-z-]+)", listed, re.M) if name != "help"]

    def pages(self):
        """The help text and the manual page of the program and of each command."""
        yield self.help("--help"), self.manual / "telltale.1.gz"
        for name in self.commands():
            yield self.help("help", name), self.manual / f"telltale-{name}.1.gz"


def embedded_packages():
    """Names and versions of the npm packages that the page is made of."""
    locked = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    return {path.removeprefix("node_modules/"): package["version"] for path, package in locked.items()
            if path and not package.get("dev") and not package.get("devOptional")}


def paragraphs(text):
    """The paragraphs of a Debian control file: {field: value}."""
    for block in re.split(r"\n{2,}", text.strip()):
        fields = {}
        for line in block.splitlines():
            match = re.match(r"([A-Z][\w-]*): ?(.*)", line)
            if match:
                name = match.group(1)
                fields[name] = match.group(2)
            else:
                check(line.startswith(" ") and fields, f"not a field and not the rest of one: {line!r}")
                fields[name] += "\n" + line[1:]
        yield fields


@case
def the_documents_are_there(tree):
    for name in ("README.md", "CHANGELOG.md", "changelog.gz", "LICENSE", "THIRD_PARTY.md", "copyright", "docs/guide.md", "docs/record.md", "docs/http-api.md",
                 "docs/openapi.json"):
        check((tree.documents / name).is_file(), f"{name} is not in {tree.documents.relative_to(tree.prefix)}")
    json.loads((tree.documents / "docs" / "openapi.json").read_text(encoding="utf-8"))


@case
def the_recorder_needs_libc_alone_and_shows_its_own_names_only(tree):
    library = tree.prefix / "lib" / "libtelltale-record.so"
    for name in ("include/telltale/telltale.h", "include/telltale/telltale.hpp", "include/telltale/writer.h",
                 "include/telltale/summary_writer.hpp", "lib/libtelltale-record.a", "lib/pkgconfig/telltale-record.pc",
                 "lib/cmake/telltale-record/telltale-record-config.cmake"):
        check((tree.prefix / name).is_file(), f"{name} is not there")
    dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"NEEDED.*\[(.*?)\]", dynamic)
    check(set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2"}, f"it needs {needed}")
    names = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1] for line in names.splitlines()]
    header = "".join((tree.prefix / "include" / "telltale" / name).read_text(encoding="utf-8") for name in ("telltale.h", "writer.h"))
    declared = set(re.findall(r"TELLTALE_API [^;(]*?(telltale_\w+)\s*[;(]", header)) | {"telltale_recording"}
    check(set(names) == declared, f"it shows {sorted(set(names) ^ declared)} too many or too few")


@case
def what_the_documents_show_and_link_is_there(tree):
    for page in sorted((tree.documents / "docs").rglob("*.md")):
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
            inside = (page.parent / link).resolve().is_relative_to(tree.documents.resolve())
            check(not inside or (page.parent / link).exists(), f"{page.relative_to(tree.documents)} links to {link}")


@case
def nothing_is_empty(tree):
    for folder, folders, files in os.walk(tree.prefix):
        check(folders or files, f"{folder} is empty")
        for name in files:
            check((pathlib.Path(folder) / name).stat().st_size > 0, f"{name} is empty")


@case
def the_copyright_file_has_the_text_of_every_licence(tree):
    first, *others = paragraphs((tree.documents / "copyright").read_text(encoding="utf-8"))
    check(first.get("Format", "").startswith("https://www.debian.org/doc/packaging-manuals/copyright-format/1."),
          f"the first paragraph has no format: {first}")
    texts = {other["License"].split("\n")[0] for other in others if "Files" not in other and "\n" in other["License"]}
    for stanza in others:
        if "Files" in stanza:
            check(stanza.get("Copyright"), f"{stanza['Files']}: no holder")
            check(stanza["License"] in texts, f"{stanza['Files']}: no text of {stanza['License']}; there is {texts}")


@case
def what_the_page_embeds_is_named_with_its_licence(tree):
    files = [name for stanza in paragraphs((tree.documents / "copyright").read_text(encoding="utf-8"))
             for name in stanza.get("Files", "").split()]
    table = (tree.documents / "THIRD_PARTY.md").read_text(encoding="utf-8")
    packages = embedded_packages()
    check(packages, "the page is made of no package: web/package-lock.json is read wrongly")
    for name, version in packages.items():
        check(f"web/node_modules/{name}/*" in files, f"copyright does not name the npm package {name}")
        check(f"| {name} | {version} |" in table, f"THIRD_PARTY.md does not name the npm package {name} {version}")


@case
def every_command_has_a_manual_page(tree):
    commands = tree.commands()
    check(len(commands) >= 6, f"--help lists {commands}")
    wanted = {"telltale.1.gz"} | {f"telltale-{name}.1.gz" for name in commands}
    found = {path.name for path in tree.manual.iterdir()}
    check(found == wanted, f"expected {sorted(wanted)}, found {sorted(found)}")


@case
def a_manual_page_says_all_that_help_says(tree):
    for text, path in tree.pages():
        page = gzip.decompress(path.read_bytes()).decode("utf-8")
        # As troff reads it: escapes away, lines joined.
        for escape, meaning in {r"\fB": "", r"\fI": "", r"\fR": "", r"\-": "-", r"\(aq": "'", r"\(ga": "`", r"\(ha": "^",
                                r"\(ti": "~", r"\&": "", r"\e": "\\"}.items():
            page = page.replace(escape, meaning)
        check(page.startswith(".TH TELLTALE"), f"{path.name} begins with {page[:20]!r}")
        # In another order, and with lines broken elsewhere: every word as often.
        said = collections.Counter(word for line in text.splitlines() if line.startswith(" ") for word in line.split())
        lacking = said - collections.Counter(page.split())
        check(not lacking, f"{path.name} lacks {dict(lacking)}")
        options = re.findall(r"^ {2}(?:-\w, | {4})(--[\w-]+)", text, re.M)
        terms = re.findall(r"^\.TP\n(?:-\w, )?(--[\w-]+)", page, re.M)
        check(options == terms, f"{path.name}: options of --help are {options}, terms of the page {terms}")


@case
def manual_pages_are_packed_alike_each_time(tree):
    for _, path in tree.pages():
        # RFC 1952: flags (no name), then the time: none.
        check(path.read_bytes()[3:8] == b"\0\0\0\0\0", f"{path.name} carries the name or time of its making")


@case
def manual_pages_are_set_without_warnings(tree):
    if shutil.which("man") is None or shutil.which("groff") is None:
        return "no man and groff"
    for _, path in tree.pages():
        done = subprocess.run(["man", "--warnings", "-l", path], capture_output=True, text=True, check=False,
                              env=dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80", MANPAGER="cat"))
        check(done.returncode == 0 and not done.stderr, f"{path.name}: {done.stderr}")
        check("NAME" in done.stdout and "SYNOPSIS" in done.stdout, f"{path.name} gives {done.stdout[:300]!r}")
    return None


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        tree = Tree(pathlib.Path(name) / "usr")
        subprocess.run(["cmake", "--install", sys.argv[1], "--prefix", tree.prefix], check=True, stdout=subprocess.DEVNULL)
        for function in CASES:
            try:
                why_not = function(tree)
                print(f"skipped: {function.__name__} ({why_not})" if why_not else f"{function.__name__}: ok")
            except (AssertionError, OSError, ValueError) as problem:
                failed += 1
                print(f"{function.__name__}: FAILED: {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
