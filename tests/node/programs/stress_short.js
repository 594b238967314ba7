'use strict';
// Three functions of about 1, 2 and 3 us that TurboFan inlines into one loop. Their cost is that of a
// chain of dependent multiplications, so it goes with their rounds, inlined or not; of different ones, or
// V8 would share them. Runs for argv[2] seconds of CPU; prints what the main thread used in the loop, in
// ns.
const { threadClock } = require('./stress_clock.js');

function short700(x) {
  for (let i = 0; i < 700; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}

function short1400(x) {
  for (let i = 0; i < 1400; i++) x = (Math.imul(x, 22695477) + 1234567891) | 0;
  return x;
}

function short2100(x) {
  for (let i = 0; i < 2100; i++) x = (Math.imul(x, 134775813) + 1442695041) | 0;
  return x;
}

function callShorts(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = short2100(short1400(short700(x)));
  return x;
}

// What V8 optimizes before the profiler has met it is shown whole: the first moments go to something else.
const settled = Date.now() + 300;
while (Date.now() < settled) JSON.parse(JSON.stringify({ a: [1, 2, { b: 'text' }] }));
const limit = Number(process.argv[2]) * 1e9;
const begin = threadClock();
while (threadClock() - begin < limit) callShorts(5000);
console.log(threadClock() - begin);
