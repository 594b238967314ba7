'use strict';
// waysHot(ms) uses so much CPU time of the process; the tests look for it in the profile.
const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };

function waysHot(ms) {
  const until = cpu() + ms * 1000;
  let x = 1;
  while (cpu() < until) for (let i = 0; i < 50000; i++) x = Math.imul(x, 48271) | 1;
  return x;
}

module.exports = { waysHot };
