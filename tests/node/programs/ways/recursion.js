'use strict';
// How deep a function gets before its RangeError, again and again, while ticks arrive. In the interpreter, so that a frame
// has one size. With an argument: in a worker whose stack has so many MB.
const { Worker, isMainThread } = require('worker_threads');
const { waysHot } = require('./hot.js');

let depth = 0;
function descend() { depth++; descend(); }

function depths(count) {
  const found = [];
  for (let i = 0; i < count; i++) {
    depth = 0;
    try {
      descend();
    } catch (error) {
      if (!(error instanceof RangeError) || error.message !== 'Maximum call stack size exceeded') throw error;
    }
    found.push(depth);
  }
  return found;
}

const megabytes = Number(process.argv[2]);
if (isMainThread && megabytes) {
  new Worker(__filename, { resourceLimits: { stackSizeMb: megabytes } }).on('exit', (code) => console.log('ended', code));
} else {
  const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };
  const until = cpu() + 250000;
  const found = [];
  while (cpu() < until) found.push(...depths(10));
  waysHot(400);
  console.log(Math.min(...found), Math.max(...found));
}
