'use strict';
// The CPU time of the calling thread in ns. /proc tells that of a thread which runs as of its last tick of the
// scheduler, up to 4 ms ago, but that of one that has just waited to the nanosecond. Reading it costs 20 to 50 us.
const fs = require('fs');
const cell = new Int32Array(new SharedArrayBuffer(4));

exports.cpu = () => {
  Atomics.wait(cell, 0, 0, 0.01);
  return Number(fs.readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]);
};
