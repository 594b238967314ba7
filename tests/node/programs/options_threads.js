'use strict';
// Work for threads of every kind, argv[2] ms of CPU: two workers with names, libuv's pool, V8's helpers.
const crypto = require('crypto');
const { Worker, isMainThread, workerData } = require('worker_threads');

const millis = isMainThread ? Number(process.argv[2]) : workerData.millis;
const goesOn = () => process.cpuUsage().user < 1000 * millis;

function mainWork() {
  let kept = [];
  while (goesOn()) {
    for (let i = 0; i < 100; i++) kept.push(new Array(1000).fill({}));
    if (kept.length > 10000) kept = [];
  }
}

function alphaWork() {
  while (goesOn()) for (let i = 0, x = 1; i < 1e6; i++) x = Math.imul(x, 48271) | 1;
}

function betaWork() {
  while (goesOn()) for (let i = 0, x = 1; i < 1e6; i++) x = Math.imul(x, 16807) | 1;
}

if (isMainThread) {
  for (const name of ['alpha', 'beta']) new Worker(__filename, { name, workerData: { name, millis } });
  crypto.pbkdf2('secret', 'salt', 100000, 64, 'sha512', () => { });
  mainWork();
} else if (workerData.name === 'alpha') alphaWork();
else betaWork();
