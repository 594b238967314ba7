# SPDX-License-Identifier: Apache-2.0
"""Writes pprof files by hand, also such as no good writer would write; knows nothing of this project's own encoder."""


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def nested(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


class Profile:
    """Builds a pprof message. Strings are interned; names are bytes or str."""

    def __init__(self, *types, packed=True, default=None):
        self.strings, self.body, self.packed = {b"": 0}, b"", packed
        for name, unit in types:
            self.body += nested(1, number(1, self.string(name)) + number(2, self.string(unit)))
        if default:
            self.body += number(14, self.string(default))

    def string(self, text):
        text = text if isinstance(text, bytes) else text.encode()
        return self.strings.setdefault(text, len(self.strings))

    def repeated(self, field, values):
        if self.packed:
            return nested(field, b"".join(map(varint, values))) if values else b""
        return b"".join(number(field, value) for value in values)

    def sample(self, locations, *values, labels=b""):
        self.body += nested(2, self.repeated(1, locations) + self.repeated(2, values) + labels)
        return self

    def numeric_label(self, key, value, unit=""):
        return nested(3, number(1, self.string(key)) + number(3, value) + number(4, self.string(unit)))

    def mapping(self, id, start, limit, offset, file):
        fields = [id, start, limit, offset, self.string(file)]
        self.body += nested(3, b"".join(number(i + 1, v) for i, v in enumerate(fields)))
        return self

    def location(self, id, *lines, mapping=0, address=0):
        body = number(1, id) + number(2, mapping) + number(3, address)
        for function, line in lines:
            body += nested(4, number(1, function) + number(2, line))
        self.body += nested(4, body)
        return self

    def function(self, id, name, file="", start_line=0):
        self.body += nested(5, number(1, id) + number(2, self.string(name)) + number(3, self.string(name)) +
                            number(4, self.string(file)) + number(5, start_line))
        return self

    def duration(self, nanos):
        self.body += number(10, nanos)
        return self

    def plain(self):
        return self.body + b"".join(nested(6, text) for text in self.strings)
