# SPDX-License-Identifier: Apache-2.0
"""The gate that a preloaded library must pass: what readelf says of it against lists. What is unsatisfied in a library
that is preloaded ends every program of the container before its first instruction."""
import re
import subprocess

VERSION_MAX = (2, 17)
TLS_BYTES_MAX = 128

# Not in musl, or not in every glibc, whatever a list says: glibc's hardened and renamed functions.
NEVER = re.compile(r"__\w+_chk$|__isoc23_|__isoc99_|__fdelt_|__sysv_signal$|(f|l)?stat(at)?(64)?$|__(l|f)?xstat|"
                   r"__tls_get_addr$|pthread_cond_|stderr$|stdout$")

SYMBOL = re.compile(r"^\s*\d+: [0-9a-f]+\s+\S+\s+(\S+)\s+(\S+)\s+(\S+)\s+(?:\[.*\]\s+)?(\S+)(?: +(\S+))?")


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], capture_output=True, text=True, check=True,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def rows(path):
    """The lines of a list as words, comments left out."""
    with open(path) as file:
        return [line.split() for line in file if line.strip() and not line.startswith("#")]


def version_number(name):
    return tuple(int(part) for part in name.removeprefix("GLIBC_").split("."))


def dynamic_symbols(path):
    """(type, binding, defined, name, version or '-', is the default version) of each dynamic symbol."""
    for line in readelf("--dyn-syms", path).splitlines():
        match = SYMBOL.match(line)
        if not match or not match[5]:
            continue
        name, at, version = match[5].partition("@")
        yield match[1], match[2], match[4] != "UND", name, version.lstrip("@") or "-", version.startswith("@") or not at


def versions_of(libc):
    """Of a libc that is installed: the versions of every symbol that it defines."""
    found = {}
    for _, _, defined, name, version, _ in dynamic_symbols(libc):
        if defined:
            found.setdefault(name, set()).add(version)
    return found


class Lists:
    """|imports|, |exports|, |machine|: files, as preload/libc and tests/abi keep them for each architecture; |libc|: a
    glibc that tells which symbols have several versions."""

    def __init__(self, imports, exports, machine, libc):
        self.imports = {name: (strength, version) for name, _, strength, version in rows(imports)}
        self.exports = {row[0] for row in rows(exports)}
        words = [(row[0], " ".join(row[1:])) for row in rows(machine)]
        self.machine = [value for key, value in words if key == "machine"]
        self.relocations = {value for key, value in words if key == "relocation"}
        self.needed = [value for key, value in words if key == "needed"]
        self.versions = versions_of(libc)


def check_dynamic(path, lists):
    text = readelf("-d", path)
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", text)
    if needed != lists.needed:
        yield f"needs {needed}, not {lists.needed}"
    for tag in ("TEXTREL", "RPATH", "RUNPATH", "PREINIT_ARRAY"):
        if re.search(rf"\({tag}\)|\(FLAGS\).*\b{tag}\b", text):
            yield f"has {tag}"
    if not re.search(r"\(FLAGS\).*BIND_NOW|\(BIND_NOW\)", text):
        yield "binds lazily: a symbol that is missing would end the program later"
    if not re.search(r"\(GNU_HASH\)|\(HASH\)", text):
        yield "has no hash table"


def check_segments(path, lists):
    text = readelf("-hl", path)
    machine = re.search(r"Machine:\s+(.*)", text)[1].strip()
    if [machine] != lists.machine:
        yield f"is for {machine}, not {lists.machine}"
    stack = re.search(r"GNU_STACK\s+(?:0x\S+\s+){5}(\S+)", text)
    if not stack or "E" in stack[1]:
        yield "wants an executable stack"
    for flags in re.findall(r"\n\s+LOAD\s+(?:0x\S+\s+){5}(.*?)\s+0x", text):
        if "W" in flags and "E" in flags:
            yield "has a segment that is writable and executable"
    tls = re.search(r"\n\s+TLS\s+0x\S+\s+0x\S+\s+0x\S+\s+0x\S+\s+(0x\S+)", text)
    if tls and int(tls[1], 16) > TLS_BYTES_MAX:
        yield f"has {int(tls[1], 16)} bytes of thread-local storage, more than {TLS_BYTES_MAX}"


def check_relocations(path, lists):
    kinds = set(re.findall(r"\b(R_[A-Z0-9]+_\w+)", readelf("-r", path)))
    for kind in sorted(kinds - lists.relocations):
        yield f"has relocations {kind}"


def check_import(name, strength, version, lists):
    if NEVER.match(name):
        yield f"takes {name}, which not every libc has"
    if name not in lists.imports:
        yield f"takes {name}, which is not in the list"
        return
    wanted, wanted_version = lists.imports[name]
    if strength != wanted:
        yield f"takes {name} {strength}, the list says {wanted}"
    if version != wanted_version:
        yield f"takes {name} in version {version}, the list says {wanted_version}"
    if version == "-" and len(lists.versions.get(name, ())) > 1:
        yield f"takes {name} without a version, and glibc has {sorted(lists.versions[name])}"


def check_symbols(path, lists):
    taken, given = set(), set()
    for _, binding, defined, name, version, _ in dynamic_symbols(path):
        if defined:
            given.add(name)
            continue
        taken.add(name)
        yield from check_import(name, "weak" if binding == "WEAK" else "strong", version, lists)
    for name in sorted(set(lists.imports) - taken):
        yield f"does not take {name}, which is in the list"
    for name in sorted(given ^ lists.exports):
        yield f"{'gives' if name in given else 'does not give'} {name}"


def check_versions(path, lists):
    for version in sorted(set(re.findall(r"Name: (\S+)\s+Flags", readelf("-V", path)))):
        if not version.startswith("GLIBC_") or not version[6].isdigit() or version_number(version) > VERSION_MAX:
            yield f"needs {version}"


def check(path, lists):
    """All that is wrong with the file, in words; nothing: it may be shipped."""
    problems = []
    for part in (check_dynamic, check_segments, check_relocations, check_symbols, check_versions):
        problems += part(path, lists)
    return problems
