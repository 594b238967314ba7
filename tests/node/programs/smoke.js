'use strict';
// A tenth of a second or more of CPU in each of: a function that V8 inlines, a plain one, a method of a class, OpenSSL,
// and a worker. Prints a line that only the arithmetic decides.
const { Worker, isMainThread, parentPort } = require('worker_threads');
const crypto = require('crypto');

const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };
function spend(ms, work) {
  const until = cpu() + ms * 1000;
  while (cpu() < until) work();
}

function mixed(x) {
  let s = x;
  for (let i = 0; i < 60; i++) s = (s * 31 + i) | 0;
  return s;
}

function inlining(n) {
  let t = 0;
  for (let i = 0; i < n; i++) t = (t + mixed(i)) | 0;
  return t;
}

function named(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}

class Engine {
  turn(n) {
    let x = n;
    for (let i = 0; i < n; i++) x = (Math.imul(x, 22695477) + 1) | 0;
    return x;
  }
}

function hashing() {
  return crypto.pbkdf2Sync('secret', 'salt', 20000, 32, 'sha512');
}

function inWorker(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 69069) + 12345) | 0;
  return x;
}

if (isMainThread) {
  const engine = new Engine();
  // V8's code from before the profiler has met it has no inlined frames: the first moments are for other work.
  spend(300, () => JSON.parse(JSON.stringify({ a: [1, 2, { b: 'text' }] })));
  spend(300, () => inlining(20000));
  spend(300, () => named(3000000));
  spend(300, () => engine.turn(3000000));
  spend(200, hashing);
  const worker = new Worker(__filename);
  worker.on('message', (sum) => {
    console.log(inlining(1000), named(1000), engine.turn(1000), hashing().toString('hex', 0, 4), sum);
    process.exitCode = 7;
  });
} else {
  spend(400, () => inWorker(3000000));
  parentPort.postMessage(inWorker(1000));
}
