'use strict';
// argv[2] generations of code that die before the next is made, so that the next takes their memory:
// each a function of its own name, on a line of its own, that runs argv[3] rounds, among many that do
// nothing. Needs --expose-gc. Prints what the main thread used in each of the functions, in ns.
const { threadClock } = require('./stress_clock.js');

function makeFillers(generation, count) {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += new Function(`return ${generation} + ${i}`)();
  return sum;
}

function makeBurn(generation) {
  const lines = '\n'.repeat(generation);
  return new Function('n', `${lines}return function generation${generation}(n) {
    let x = n; for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + ${generation}) | 0; return x; }`)();
}

// What V8 optimizes before the profiler has met it is shown whole: the first moments go to something else.
const settled = Date.now() + 300;
while (Date.now() < settled) JSON.parse(JSON.stringify({ a: [1, 2, { b: 'text' }] }));
const used = [];
for (let generation = 0; generation < Number(process.argv[2]); generation++) {
  makeFillers(generation, 300);
  const burn = makeBurn(generation);
  const before = threadClock();
  burn(Number(process.argv[3]));
  used.push(threadClock() - before);
  global.gc();
}
console.log(JSON.stringify(used));
