'use strict';
// One function with a loop on each of three lines, 1 : 2 : 3, and with a call on each of three others, for argv[2] seconds of
// CPU. Prints what the process's own CPU clock says that the three loops used.

const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };
const used = [0, 0, 0];
const LOOP = 1500000;

function alpha(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = (x * 5 + i) & 0xffff;
  return x;
}

function beta(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = (x * 5 + i) & 0xffff;
  return x;
}

function gamma(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = (x * 5 + i) & 0xffff;
  return x;
}

function loops(n) {
  let x = n;
  const twice = 2 * n;
  const thrice = 3 * n;
  const start = cpu();
  for (let i = 0; i < n; i++) x = (x * 3 + i) & 0xffff; // first loop
  const first = cpu();
  for (let i = 0; i < twice; i++) x = (x * 3 + i) & 0xffff; // second loop
  const second = cpu();
  for (let i = 0; i < thrice; i++) x = (x * 3 + i) & 0xffff; // third loop
  const third = cpu();
  used[0] += first - start;
  used[1] += second - first;
  used[2] += third - second;
  return x;
}

function calls(n) {
  let x = alpha(n);
  for (let i = 0; i < 3; i++) {
    x += beta(n);
    if (i === 2)
      x += gamma(
        n
      );
  }
  return x;
}

// Wide operands: more constants than fit into a byte.
const wide = new Function('burn', 'n', 'let x = 0;\n' +
  Array.from({ length: 300 }, (_, i) => `x += n.k${i} | 0;`).join('\n') + '\nx += burn(n.size); // call\nreturn x;');

// Code that V8 made before the profiler has met it may never be told: the first moments are spent on something else.
while (cpu() < 6e5) JSON.parse(JSON.stringify({ a: [1, 2, { b: 'text' }] }));

const limit = cpu() + Number(process.argv[2]) * 1e6;
while (cpu() < limit) {
  // Slices of several ticks, and of unequal length, so that no tick keeps step with them.
  loops(Math.floor(LOOP * (0.5 + Math.random())));
  calls(300000);
  wide(alpha, { size: 100000 });
}
console.log(JSON.stringify(used));
