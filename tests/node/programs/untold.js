'use strict';
// A worker whose hottest function is a closure that is made for each call. It is optimized before the profiler meets
// the worker (30 ms), and when it is met there is no such closure in the heap: V8 then tells nothing of its code.
const { Worker, isMainThread } = require('node:worker_threads');

function round(n) {
  const closure = (limit) => {
    let sum = 0;
    for (let i = 0; i < limit; i++) sum = (sum * 31 + i) % 65521;
    return sum;
  };
  return closure(n);
}

function pause(n) {
  let sum = 1;
  for (let i = 0; i < n; i++) sum = (sum * 17 + i) % 8191;
  return sum;
}

if (isMainThread) {
  new Worker(__filename);
} else {
  let sum = 0;
  for (let i = 0; i < 2000; i++) sum += round(500);
  for (let i = 0; i < 150; i++) {
    sum += round(150000);
    gc({ type: 'minor' });
    sum += pause(400000);
  }
  console.log(sum);
}
