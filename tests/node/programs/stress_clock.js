'use strict';
// The CPU clock of the calling thread in ns, which the kernel brings up to date when that of the process
// is read.
const fs = require('fs');

exports.threadId = () => Number(fs.readlinkSync('/proc/thread-self').split('/').pop());
exports.threadClock = () => {
  process.cpuUsage();
  return Number(fs.readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]);
};
