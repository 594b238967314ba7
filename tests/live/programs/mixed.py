"""json, re, sort and recursion for N milliseconds: the interpreter's C and its extension modules."""
import json
import re
import sys
import time


def recurse(n):
    return json.dumps({"a": [n] * 3}) if n == 0 else recurse(n - 1)


end = time.time() + int(sys.argv[1]) / 1000
while time.time() < end:
    recurse(30)
    re.findall(r"(a+)+b", "aaaaaaaaaaaab" * 3)
    sorted([str(i) for i in range(500)], key=lambda s: (len(s), s))
    json.loads('{"a":[1,2,3,{"b":[1,2,{"c":1}]}]}')
