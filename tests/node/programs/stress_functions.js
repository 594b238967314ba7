'use strict';
// argv[2] functions made from text, each called some times and forgotten. Prints what the main thread used
// for them in ns, what they gave, the memory that is resident and V8's heap, in MB.
const fs = require('fs');
const { threadClock } = require('./stress_clock.js');

function makeAndForget(count) {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const made = new Function('a', `let s = ${i}; for (let k = 0; k < 20; k++) s += a * k; return s;`);
    for (let call = 0; call < 5; call++) sum = (sum + made(call)) | 0;
  }
  return sum;
}

const before = threadClock();
const sum = makeAndForget(Number(process.argv[2]));
const nanos = threadClock() - before;
const resident = Number(/VmRSS:\s*(\d+)/.exec(fs.readFileSync('/proc/self/status', 'latin1'))[1]);
const heap = process.memoryUsage().heapTotal / 1024 / 1024;
console.log(JSON.stringify({ sum, nanos, resident: resident / 1024, heap }));
