'use strict';
// argv[2] short workers, one after the other, each with a name; they end, exit or are terminated.
const { Worker, isMainThread, workerData, parentPort } = require('worker_threads');
const { waysHot } = require('./hot.js');
const kinds = ['end', 'exit', 'terminate'];

async function main(count) {
  for (let i = 0; i < count; i++) {
    const kind = kinds[i % kinds.length];
    const worker = new Worker(__filename, { workerData: kind, name: `row-${kind}` });
    if (kind === 'terminate') worker.once('message', () => worker.terminate());
    console.log(kind, await new Promise((resolve) => { worker.on('exit', resolve); }));
  }
}

if (isMainThread) {
  main(Number(process.argv[2]));
} else {
  waysHot(60);
  if (workerData === 'exit') process.exit(3);
  if (workerData === 'terminate') {
    parentPort.postMessage('ready');
    for (;;) waysHot(10);
  }
}
