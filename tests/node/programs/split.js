'use strict';
// Four functions that burn 10, 20, 30 and 40 % of the CPU, by equal-cost loops, for argv[2] seconds of CPU. Prints what the
// process's own CPU clock says that each of them used, and what the process had used when it ended.

function burn10(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}

function burn20(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}

function burn30(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}

function burn40(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}

const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };
const parts = [[burn10, 1], [burn20, 2], [burn30, 3], [burn40, 4]];
const used = { burn10: 0, burn20: 0, burn30: 0, burn40: 0 };
const UNIT = 8000000;

function round() {
  for (const [burn, weight] of parts) {
    // Slices of several ticks, so that few samples say much, and of unequal length, so that no tick keeps step with them.
    const n = Math.floor(UNIT * weight * (0.5 + Math.random()));
    const before = cpu();
    burn(n);
    used[burn.name] += cpu() - before;
  }
}

process.on('exit', () => console.log(JSON.stringify({ used, total: cpu() })));
const limit = Number(process.argv[2]) * 1e6;
while (cpu() < limit) round();
