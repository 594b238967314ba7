'use strict';
const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };

function burn(ms) {
  const until = cpu() + ms * 1000;
  let x = 1;
  while (cpu() < until) for (let i = 0; i < 20000; i++) x = Math.imul(x, 48271) | 1;
  return x;
}

function setUpSecond() {
  burn(60);
}

setUpSecond();
exports.burn = burn;
