// Two helpers that V8 inlines into one hot loop, the second with three times the iterations of the first: a quarter and
// three quarters of the iterations. Runs for N seconds; then prints the first one's share of the time, as the clock gives
// it for each helper in a loop of its own.
'use strict';
function once(x) {
  let s = x;
  for (let i = 0; i < 30; i++) s = (s * 31 + i) | 0;
  return s;
}
function thrice(x) {
  let s = x;
  for (let i = 0; i < 90; i++) s = (s * 31 + i) | 0;
  return s;
}
function both(x) {
  return once(x) + thrice(x);
}
function hot(n) {
  let t = 0;
  for (let i = 0; i < n; i++) {
    t = (t + both(i)) | 0;
  }
  return t;
}
// Code that V8 optimizes before the profiler has met it is shown whole: the first moments are spent on something else.
const settled = Date.now() + 300;
while (Date.now() < settled) JSON.parse(JSON.stringify({ a: [1, 2, { b: 'text' }] }));
const end = Date.now() + 1000 * Number(process.argv[2]);
let sum = 0;
while (Date.now() < end) sum = (sum + hot(20000)) | 0;

function timed(helper) {
  const loop = new Function('helper', 'n', 'let t = 0; for (let i = 0; i < n; i++) t = (t + helper(i)) | 0; return t;');
  let best = Infinity;
  for (let round = 0; round < 7; round++) {
    const begin = process.cpuUsage();
    sum += loop(helper, 300000);
    const { user, system } = process.cpuUsage(begin);
    best = Math.min(best, user + system);
  }
  return best;
}
const first = timed(once);
console.log(first / (first + timed(thrice)));
