'use strict';
// Runs the functions of a bundle of one line in turn, for argv[2] ms of CPU; prints what the main thread
// used in each, in ns.
const all = require('./bundle.js').all.filter((f) => f.length === 1);
const { threadClock } = require('./stress_clock.js');

const used = all.map(() => 0);
const limit = threadClock() + 1e6 * Number(process.argv[2]);
do {
  all.forEach((burn, i) => {
    // Slices of several ticks, and of unequal length, so that no tick keeps step with them.
    const n = Math.floor(8000000 * (0.5 + Math.random()));
    const before = threadClock();
    burn(n);
    used[i] += threadClock() - before;
  });
} while (threadClock() < limit);
console.log(JSON.stringify(used));
