'use strict';
// Workers that end in every way there is, argv[2] of each, a few at a time.
const { Worker, isMainThread, workerData } = require('worker_threads');

function churnBurn(ms) {
  const until = Date.now() + ms;
  let x = 1;
  while (Date.now() < until) for (let i = 0; i < 20000; i++) x = Math.imul(x, 48271) | 1;
  return x;
}

const ways = {
  end: () => churnBurn(400), // long enough that V8 is asked for its code
  exit: () => { churnBurn(40); process.exit(3); },
  throw: () => { churnBurn(40); throw new Error('on purpose'); },
  terminate: () => { for (;;) churnBurn(40); },
  idle: () => { churnBurn(40); setInterval(() => { }, 1000); },
};

function once(way) {
  return new Promise((resolve) => {
    const worker = new Worker(__filename, { workerData: way });
    let error = false;
    worker.on('error', () => { error = true; });
    worker.on('exit', (code) => resolve(`${way} ${code} ${error}`));
    if (way === 'terminate' || way === 'idle') worker.once('online', () => setTimeout(() => worker.terminate(), 90));
  });
}

async function main(rounds) {
  for (let i = 0; i < rounds; i++) console.log((await Promise.all(Object.keys(ways).map(once))).join(', '));
}

if (isMainThread) main(Number(process.argv[2]));
else ways[workerData]();
