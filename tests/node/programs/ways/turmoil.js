'use strict';
// Workers that end in every way at once, contexts that are thrown away and errors, until the end that argv[2] names.
const vm = require('vm');
const { Worker, isMainThread, workerData } = require('worker_threads');

function turmoilBurn(ms) {
  const until = Date.now() + ms;
  let x = 1;
  while (Date.now() < until) for (let i = 0; i < 20000; i++) x = Math.imul(x, 48271) | 1;
  return x;
}

function contexts(count) {
  for (let i = 0; i < count; i++) {
    try {
      vm.runInNewContext(`function f${i}(n) { return n ? f${i}(n - 1) : 0; } f${i}(50);
        if (${i} % 2) throw new Error(''); for (;;);`, {}, { timeout: 2 });
    } catch { /* each of them throws */ }
  }
}

const workers = {
  end: () => turmoilBurn(30),
  exit: () => { contexts(3); process.exit(3); },
  throw: () => { turmoilBurn(30); throw new Error('on purpose'); },
  terminate: () => { for (;;) turmoilBurn(10); },
  atOnce: () => { for (;;) turmoilBurn(10); },
};

function start(way) {
  return new Promise((resolve) => {
    const worker = new Worker(__filename, { workerData: way });
    worker.on('error', () => { });
    worker.on('exit', (code) => resolve(`${way} ${code}`));
    if (way === 'terminate') worker.once('online', () => setTimeout(() => worker.terminate(), 30));
    if (way === 'atOnce') setTimeout(() => worker.terminate(), Math.random() * 40);
  });
}

const ends = {
  end: () => { },
  exit: () => process.exit(4),
  exitAmongWorkers: () => { Object.keys(workers).map(start); setTimeout(() => process.exit(5), Math.random() * 60); },
  throw: () => { throw new Error('at the end'); },
  reject: () => Promise.reject(new Error('at the end')),
  throwAmongWorkers: () => { Object.keys(workers).map(start); setTimeout(() => { throw new Error('at the end'); }, 20); },
  signal: () => { process.kill(process.pid, 'SIGTERM'); },
};

async function main() {
  const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };
  while (cpu() < 150000) turmoilBurn(10);
  const ended = Promise.all(Object.keys(workers).map(start));
  contexts(10);
  console.log((await ended).join(', '));
  ends[process.argv[2]]();
}

if (isMainThread) main(); else workers[workerData]();
