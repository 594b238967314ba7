'use strict';
// Sleepers beside busy functions, for argv[2] ms of CPU: timers and an async loop between the slices of a
// busy main thread; a worker that sleeps in Atomics.wait, one that polls by a timer, and a busy one.
// Prints each thread's id, its own CPU clock in ns and, of a worker, what it used after its start.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { threadClock, threadId } = require('./stress_clock.js');

// By the CPU of the whole process, whatever else the machine does.
const millis = isMainThread ? Number(process.argv[2]) : workerData.millis;
const goesOn = () => process.cpuUsage().user < 1000 * millis;

function spin(rounds) {
  let x = rounds;
  for (let i = 0; i < rounds; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}

function busySlices() {
  spin(10000000);
  if (goesOn()) setTimeout(busySlices, 0);
}

function pollInMain() {
  if (goesOn()) setTimeout(pollInMain, 5);
}

async function sleepInMain() {
  while (goesOn()) await new Promise((resolve) => setTimeout(resolve, 7));
}

function waitInWorker() {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (goesOn()) Atomics.wait(cell, 0, 0, 20);
}

function pollInWorker() {
  if (goesOn()) setTimeout(pollInWorker, 20);
}

function busyWorker() {
  while (goesOn()) spin(1000000);
}

const roles = { waitInWorker, pollInWorker, busyWorker };
if (isMainThread) {
  const used = {};
  for (const role of Object.keys(roles)) {
    new Worker(__filename, { workerData: { role, millis } }).on('message', (told) => { used[role] = told; });
  }
  busySlices();
  pollInMain();
  sleepInMain();
  process.on('exit', () => {
    used.main = { tid: threadId(), nanos: threadClock() };
    console.log(JSON.stringify(used));
  });
} else {
  const begin = threadClock();
  process.on('exit', () => {
    const nanos = threadClock();
    parentPort.postMessage({ tid: threadId(), nanos, inRole: nanos - begin });
  });
  roles[workerData.role]();
}
