# SPDX-License-Identifier: Apache-2.0
"""Sentences taken apart: a pattern names the durations, shares, counts, sizes and names in it, and each is held against
a number or a list of names of the JSON. What is written with few digits must be the nearest to be written with them."""
import re

UNITS_NS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
UNITS_BYTES = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
WORDS = {"a quarter": 1 / 4, "a third": 1 / 3, "half": 1 / 2, "two thirds": 2 / 3, "three quarters": 3 / 4, "all": 1.0,
         "all of it": 1.0}
NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
KINDS = {
    "d": rf"{NUMBER} (?:ns|µs|ms|s)|\d[\d,]* h \d+ min|\d+ min \d+ s",  # duration
    "s": rf"<?{NUMBER} %|{'|'.join(sorted(WORDS, key=len, reverse=True))}",  # share
    "n": rf"{NUMBER}",  # count
    "b": rf"{NUMBER} (?:{'|'.join(UNITS_BYTES)})",  # size
    "t": r".+?",  # text
}
FIELD = re.compile(r"\{(\w):(\w+)\}")
QUANTITY = re.compile(rf"({KINDS['d']}|{KINDS['b']})(?!\w)|(<?{NUMBER} %)")


def pattern(text):
    """A regular expression of a sentence or clause: `{d:idle}` is a duration called idle; the rest is as it is."""
    out, at = "", 0
    for field in FIELD.finditer(text):
        out += re.escape(text[at:field.start()]) + f"(?P<{field[2]}>{KINDS[field[1]]})"
        at = field.end()
    return re.compile(out + re.escape(text[at:]))


def number(text):
    return float(text.replace(",", ""))


def rounded(text, unit, value):
    """Whether `text`, a number in `unit`, is `value` to the digits it has."""
    decimals = len(text.partition(".")[2])
    return abs(number(text) * unit - value) <= 0.5000001 * unit * 10**-decimals + 1e-9 * abs(value)


def is_duration(text, value_ns):
    parts = text.split()
    if value_ns is None:
        return False
    if len(parts) == 4:  # "2 h 10 min", "12 min 5 s"
        large, small = (3600, 60) if parts[1] == "h" else (60, 1)
        return abs(number(parts[0]) * large + number(parts[2]) * small - value_ns / 1e9) <= small
    return rounded(parts[0], UNITS_NS[parts[1]], value_ns)


def is_bytes(text, value):
    size, unit = text.split()
    return value is not None and rounded(size, UNITS_BYTES[unit], value)


def is_share(text, value):
    if value is None:
        return False
    if text in WORDS:
        return abs(value - WORDS[text]) < 0.0081
    if text.startswith("<"):
        return 0 < value * 100 < number(text[1:-2])
    return rounded(text[:-2], 0.01, value)


def is_count(text, value):
    return value is not None and rounded(text, 1, value)


def is_name(text, name):
    """Whether `text` is `name`, or what is left of it where `…` stands for a part."""
    if name is None:
        return False
    return re.fullmatch(".*".join(re.escape(part) for part in text.split("…")), name) is not None


def opening(text, opens, closes):
    """Where the bracket that ends the text was opened; 0: it was not."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == closes) - (text[at] == opens)
        if text[at] == opens and depth == 0:
            return at
    return 0


def kernel_name(name):
    """What a sentence calls a kernel: without `void`, parameters, anonymous namespaces and long template arguments."""
    name = name.removeprefix("void ")
    if name.endswith(")"):
        at = opening(name, "(", ")")
        if at and name[at - 1] != " ":
            name = name[:at]
    if name.endswith(">"):
        at = opening(name, "<", ">")
        if at and len(name.encode()) - len(name[:at].encode()) > 16:
            name = name[:at] + "<…>"
    return name.replace("(anonymous namespace)::", "")


def ratio(part, whole):
    return part / whole if whole else 0.0


class Reading:
    """One sentence against numbers. `wrong` collects what does not fit."""

    def __init__(self, text):
        self.text = text
        self.rest = text
        self.wrong = []

    def take(self, *choices):
        """Takes the first of the patterns that the rest begins with; None where it begins with none."""
        for choice in choices:
            match = pattern(choice).match(self.rest)
            if match:
                self.rest = self.rest[match.end():]
                return match.groupdict() | {"": match[0]}  # never an empty one
        return None

    def take_until(self, choice, end):
        """As take(), for a pattern that ends in a text: it goes on until the regular expression `end` fits."""
        match = re.compile(pattern(choice).pattern + end).match(self.rest)
        if match is None:
            return None
        self.rest = self.rest[match.end():]
        return match.groupdict()

    def words(self, *choices):
        """Takes one of the texts as it is; none of them is wrong."""
        for choice in sorted(choices, key=len, reverse=True):
            if self.rest.startswith(choice):
                self.rest = self.rest[len(choice):]
                return choice
        self.wrong.append(f"cannot be read from here: “{self.rest}”")
        self.rest = ""
        return ""

    def need(self, *choices):
        """As take(); that none fits is wrong."""
        groups = self.take(*choices)
        if groups is None:
            self.wrong.append(f"cannot be read from here: “{self.rest}”")
            self.rest = ""
        return groups

    def check(self, good, what):
        if not good:
            self.wrong.append(what)

    def _quantity(self, of, name, value, test):
        text = of.get(name) if of else None
        if text is not None:
            self.check(test(text, value), f"{name} is said to be {text}, the JSON has {value}")

    def duration(self, of, name, value):
        self._quantity(of, name, value, is_duration)

    def share(self, of, name, value):
        self._quantity(of, name, value, is_share)

    def count(self, of, name, value):
        self._quantity(of, name, value, is_count)

    def bytes(self, of, name, value):
        self._quantity(of, name, value, is_bytes)

    def name(self, of, name, value):
        self._quantity(of, name, value, is_name)

    def end(self):
        if self.rest.strip():
            self.wrong.append(f"nobody checks “{self.rest.strip()}”")
        return self.wrong
