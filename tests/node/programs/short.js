'use strict';
// A script of 300 ms of CPU, start-up included, that ends in the way argv[2] says; it prints what its CPU clock said last.
const how = process.argv[2];
const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };

function shortWork() {
  let x = 1;
  for (let i = 0; i < 20000; i++) x = Math.imul(x, 48271) | 1;
  return x;
}

function report() {
  console.log(JSON.stringify({ total: cpu() }));
}

function fail() {
  report();
  throw new Error('it failed on purpose');
}

if (how === 'sigterm') {
  process.on('SIGTERM', () => { report(); process.exit(7); });
  setInterval(() => { }, 1000);
}
while (cpu() < 300000) shortWork();
switch (how) {
  case 'end': report(); break;
  case 'exit': report(); process.exit(5); break;
  case 'reallyExit': report(); process.reallyExit(6); break;
  case 'exitInTimer': setTimeout(() => { report(); process.exit(4); }, 1); break;
  case 'throw': fail(); break;
  case 'reject': Promise.resolve().then(fail); break;
  case 'sigterm': process.kill(process.pid, 'SIGTERM'); break;
  default: throw new Error(how);
}
