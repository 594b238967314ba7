'use strict';
// Prints when its first line runs, on the clock of Python's time.monotonic_ns, and the CPU time of its thread
// so far, in ns, as of the last tick of the kernel.
const now = process.hrtime.bigint();
const [cpu] = require('fs').readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ');
process.stdout.write(`${now} ${cpu}`);
