'use strict';
// A worker with argv[2] MB of small objects, made by V8's JSON parser, which is not JavaScript: the first tick in
// JavaScript finds them. Then hot. Prints the longest pause between two rounds of the loop, in CPU ms of the process.
const { Worker, isMainThread } = require('worker_threads');
const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };

function waysHot(ms) {
  const until = cpu() + ms * 1000;
  let x = 1, last = cpu(), longest = 0;
  while (last < until) {
    for (let i = 0; i < 50000; i++) x = Math.imul(x, 48271) | 1;
    const now = cpu();
    longest = Math.max(longest, now - last);
    last = now;
  }
  return longest / 1000;
}

function main(megabytes, ms) {
  const before = process.memoryUsage().heapUsed;
  const kept = JSON.parse(`[${'[],'.repeat(megabytes * 1e6 / 40)}[]]`);
  const grown = process.memoryUsage().heapUsed - before;
  console.log(JSON.stringify({ grown, pause: waysHot(ms), length: kept.length }));
}

if (isMainThread) {
  new Worker(__filename, { argv: process.argv.slice(2), resourceLimits: { maxOldGenerationSizeMb: 6000 } });
} else {
  main(Number(process.argv[2]), Number(process.argv[3]));
}
