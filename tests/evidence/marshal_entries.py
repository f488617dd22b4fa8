# SPDX-License-Identifier: Apache-2.0
"""A second decoder of .prof files, written from the description of the format and sharing nothing with the program:
yields whole entries until the data ends or makes no sense. Python's own marshal gives all or nothing."""
import struct


class Damaged(Exception):
    pass


class Entries:
    def __init__(self, data):
        self.data, self.at, self.refs, self.interned = data, 0, [], []

    def take(self, count):
        if count < 0 or self.at + count > len(self.data):
            raise Damaged("the data ends")
        piece = self.data[self.at:self.at + count]
        self.at += count
        return piece

    def int32(self):
        return struct.unpack("<i", self.take(4))[0]

    def text(self, code, raw):
        if code in "aAzZ":
            return raw.decode("latin-1")
        return raw.decode("utf-8", "surrogatepass") if code in "ut" else raw.decode("utf-8", "replace")

    def value(self, depth=0):
        if depth > 2000:
            raise Damaged("too deep")
        byte = self.take(1)[0]
        code, flagged = chr(byte & 0x7F), byte & 0x80
        if code == "0":
            return KeyError  # stands for the end of a dictionary
        if code in "NTFS.":
            return {"N": None, "T": True, "F": False}.get(code)
        if code == "r" or code == "R":
            table, index = (self.refs if code == "r" else self.interned), self.int32()
            if not 0 <= index < len(table) or table[index] is KeyError:
                raise Damaged("no such reference")
            return table[index]
        place = None
        if flagged:
            place = len(self.refs)
            self.refs.append(KeyError)
        if code == "i":
            result = self.int32()
        elif code == "I":
            result = struct.unpack("<q", self.take(8))[0]
        elif code == "l":
            count, result = self.int32(), 0
            for i in range(abs(count)):
                result |= struct.unpack("<H", self.take(2))[0] << (15 * i)
            result = -result if count < 0 else result
        elif code == "f":
            result = float(self.take(self.take(1)[0]))
        elif code == "g":
            result = struct.unpack("<d", self.take(8))[0]
        elif code in "stuaAzZ":
            length = self.take(1)[0] if code in "zZ" else self.int32()
            result = self.text(code, self.take(length))
            if code == "t":
                self.interned.append(result)
        elif code in "()":
            result = tuple(self.value(depth + 1) for _ in range(self.take(1)[0] if code == ")" else self.int32()))
        elif code == "{":
            result = {}
            if place is not None:
                self.refs[place] = result
            while (key := self.value(depth + 1)) is not KeyError:
                result[key] = self.value(depth + 1)
        elif code in "[<>":
            result = [self.value(depth + 1) for _ in range(self.int32())]
        else:
            raise Damaged(f"unknown code {byte:#x} at {self.at - 1}")
        if place is not None:
            self.refs[place] = result
        return result

    def entries(self):
        """(key, value) pairs, and whether the dictionary came to its end."""
        found = {}
        try:
            byte = self.take(1)[0]
            if chr(byte & 0x7F) != "{":
                raise Damaged("no dictionary")
            if byte & 0x80:
                self.refs.append(KeyError)
            while (key := self.value()) is not KeyError:
                found[key] = self.value()
        except (Damaged, RecursionError, ValueError, TypeError):
            return found, False
        return found, True
