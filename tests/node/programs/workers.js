'use strict';
// Two workers, each with a function of its own, beside a main thread that only waits.
const { Worker, isMainThread, workerData } = require('worker_threads');

function burn(ms) {
  const until = process.hrtime.bigint() + BigInt(ms) * 1000000n;
  let x = 1;
  while (process.hrtime.bigint() < until) for (let i = 0; i < 50000; i++) x = Math.imul(x, 48271) | 1;
  return x;
}

function workAlpha(ms) { return burn(ms) + 1; }
function workBeta(ms) { return burn(ms) + 2; }

if (isMainThread) {
  for (const name of ['Alpha', 'Beta']) {
    const worker = new Worker(__filename, { workerData: name, name: 'work' + name });
    worker.on('exit', (code) => console.log(name.length, 'worker ended', code));
  }
} else {
  (workerData === 'Alpha' ? workAlpha : workBeta)(1500);
}
