'use strict';
// A cluster of two workers; each burns CPU in a function of its own and ends.
const cluster = require('cluster');

const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };

function burn(ms) {
  const until = cpu() + ms * 1000;
  let x = 1;
  while (cpu() < until) for (let i = 0; i < 50000; i++) x = Math.imul(x, 48271) | 1;
  return x;
}

function clusterPrimary() { return burn(400) + 1; }
function clusterWorker() { return burn(600) + 2; }

if (cluster.isPrimary) {
  console.log(JSON.stringify({ primary: process.pid }));
  for (let i = 0; i < 2; i++) {
    const worker = cluster.fork();
    worker.on('message', (pid) => console.log(JSON.stringify({ worker: pid })));
  }
  clusterPrimary();
} else {
  clusterWorker();
  process.send(process.pid, () => process.disconnect());
}
