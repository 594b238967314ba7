'use strict';
// A function that makes garbage which lives for a while beside one that only counts, each twice, and one that does
// nothing but ask for collections (--expose-gc), for argv[2] ms of CPU each time. Prints what the kernel's clock of this
// thread says that each used.
const { cpu } = require('./truth_clock.js');

const kept = new Array(200000);
function makeGarbage() {
  for (let i = 0; i < 100000; i++) kept[(i * 7919) % kept.length] = { i, next: [i, { name: 'x' }] };
}
function countOnly() {
  let x = 1;
  for (let i = 0; i < 10000000; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}
function askForCollection() {
  for (let i = 0; i < 3; i++) globalThis.gc();
}

const works = [makeGarbage, countOnly, makeGarbage, countOnly, askForCollection];
const used = {};
// Tasks of the collector run between two tasks of the program.
function next() {
  const work = works.shift();
  if (!work) return console.log(JSON.stringify(used));
  const begin = cpu();
  while (cpu() - begin < Number(process.argv[2]) * 1e6) work();
  used[work.name] = (used[work.name] || 0) + cpu() - begin;
  return setImmediate(next);
}
// The profiler meets the thread.
for (const end = cpu() + 300e6; cpu() < end;) JSON.stringify(process.versions);
next();
