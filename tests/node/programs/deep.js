'use strict';
// A burn 300 calls deep: the root must stay in sight.
const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };

function bottom(ms) {
  const until = cpu() + ms * 1000;
  let x = 1;
  while (cpu() < until) for (let i = 0; i < 100000; i++) x = Math.imul(x, 48271) | 1;
  return x;
}

function descend(levels, ms) {
  return levels === 0 ? bottom(ms) + 1 : descend(levels - 1, ms) + 1;
}

function requestHandler() {
  return descend(300, 400);
}

requestHandler();
