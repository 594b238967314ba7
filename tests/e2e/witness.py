# SPDX-License-Identifier: Apache-2.0
"""Runs a command and notes what each of its processes was given when it began a program and what it had when it ended,
as the kernel tells it while the process is stopped there (ptrace): nothing is put into the process for it."""
import collections
import ctypes
import os
import re
import signal
import tempfile
import time

TRACEME, CONT, SETOPTIONS, GETEVENTMSG = 0, 7, 0x4200, 0x4201
FORK, VFORK, CLONE, EXEC, EXIT = 1, 2, 3, 4, 6
OPTIONS = sum(1 << event for event in (FORK, VFORK, CLONE, EXEC, EXIT)) | 1 << 20  # and kill them all with us
WALL = 0x40000000

Begin = collections.namedtuple("Begin", "program environment lowest_fd blocked ignored")
# |names|: of its threads, as each ended; those that end after the first are in it, too.
End = collections.namedtuple("End", "program code lowest_fd fds blocked ignored caught threads names files size")
Result = collections.namedtuple("Result", "code out err begins ends")

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, pid, data=0):
    return libc.ptrace(request, pid, None, data)


def event_message(pid):
    message = ctypes.c_ulong()
    libc.ptrace(GETEVENTMSG, pid, None, ctypes.addressof(message))
    return message.value


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Process:
    def __init__(self):
        self.threads, self.names = 1, set()


class Witness:
    def __init__(self, limit=120):
        self.processes = collections.defaultdict(Process)
        self.begins, self.ends = [], []
        self.new = set()  # tasks whose first stop is the kernel's own
        self.limit = limit

    def status(self, tid):
        return dict(re.findall(r"(?m)^(\w+):\s*(.*)$", read(f"/proc/{tid}/status").decode(errors="replace")))

    def common(self, tid):
        status = self.status(tid)
        fds = {int(name) for name in os.listdir(f"/proc/{tid}/fd")}
        lowest = next(n for n in range(1 << 20) if n not in fds)
        return status, os.path.basename(os.readlink(f"/proc/{tid}/exe")), lowest, fds

    def begin(self, tid):
        self.processes.pop(tid, None)
        status, program, lowest, _ = self.common(tid)
        environment = tuple(sorted(read(f"/proc/{tid}/environ").split(b"\0")[:-1]))
        self.begins.append(Begin(program, environment, lowest, status["SigBlk"], status["SigIgn"]))

    def end(self, tid):
        status = self.status(tid)
        process = self.processes[int(status["Tgid"])]
        process.names.add(status["Name"])
        if int(status["Tgid"]) != tid:
            return
        status, program, lowest, fds = self.common(tid)
        size, files = 0, collections.Counter()
        for line in read(f"/proc/{tid}/maps").decode(errors="replace").splitlines():
            fields = line.split(None, 5)
            start, stop = (int(part, 16) for part in fields[0].split("-"))
            name = fields[5] if len(fields) > 5 else ""
            size += stop - start
            if name.startswith("/"):
                files[name] += stop - start
        self.ends.append(End(program, event_message(tid), lowest, len(fds), status["SigBlk"], status["SigIgn"],
                             status["SigCgt"], process.threads, process.names, files, size))

    def stopped(self, tid, status):
        """The signal to go on with."""
        number, event = status >> 8 & 0xFF, status >> 16
        if event in (FORK, VFORK, CLONE):
            born = event_message(tid)
            self.new.add(born)
            if event == CLONE and self.status(born)["Tgid"] == self.status(tid)["Tgid"]:
                self.processes[int(self.status(tid)["Tgid"])].threads += 1
        elif event == EXEC:
            self.begin(tid)
        elif event == EXIT:
            self.end(tid)
        elif number == signal.SIGSTOP and tid in self.new:
            self.new.discard(tid)
        elif not event:
            return number
        return 0

    def follow(self, pid):
        deadline, code = time.monotonic() + self.limit, None
        while True:
            try:
                tid, status = os.waitpid(-1, WALL | os.WNOHANG)
            except ChildProcessError:
                return code
            if not tid:
                assert time.monotonic() < deadline, "a process that does not end"
                time.sleep(0.0005)
            elif os.WIFSTOPPED(status):
                try:
                    number = self.stopped(tid, status)
                except (FileNotFoundError, ProcessLookupError):
                    number = 0  # killed meanwhile
                ptrace(CONT, tid, number)
            elif tid == pid:
                code = os.waitstatus_to_exitcode(status)


def run(command, environment, directory, limit=120):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        pid = os.fork()
        if not pid:
            try:
                null = os.open("/dev/null", os.O_RDONLY)
                for source, target in ((null, 0), (out.fileno(), 1), (err.fileno(), 2)):
                    os.dup2(source, target)
                os.closerange(3, 1024)
                os.chdir(directory)
                signal.pthread_sigmask(signal.SIG_SETMASK, [])
                for number in (signal.SIGPIPE, signal.SIGXFSZ):
                    signal.signal(number, signal.SIG_DFL)  # Python ignores them
                ptrace(TRACEME, 0)
                os.kill(os.getpid(), signal.SIGSTOP)
                os.execve(command[0], command, environment)
            finally:
                os._exit(127)
        os.waitpid(pid, 0)
        ptrace(SETOPTIONS, pid, OPTIONS)
        ptrace(CONT, pid)
        witness = Witness(limit)
        code = witness.follow(pid)
        for stream in (out, err):
            stream.seek(0)
        return Result(code, out.read(), err.read(), witness.begins, witness.ends)
