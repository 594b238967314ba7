'use strict';
// Two workers, each with a function of its own, beside a main thread that only waits.
const { Worker, isMainThread, workerData } = require('worker_threads');

function burn(rounds) {
  let x = 1;
  for (let r = 0; r < rounds; r++) for (let i = 0; i < 1000000; i++) x = Math.imul(x, 48271) | 1;
  return x;
}

function workAlpha(rounds) { return burn(rounds) + 1; }
function workBeta(rounds) { return burn(rounds) + 2; }

if (isMainThread) {
  for (const name of ['Alpha', 'Beta']) {
    const worker = new Worker(__filename, { workerData: name, name: 'work' + name });
    worker.on('exit', (code) => console.log('worker ended', code));
  }
} else {
  (workerData === 'Alpha' ? workAlpha : workBeta)(1000);
}
