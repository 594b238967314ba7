'use strict';
// Mostly garbage collection.
const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };

function makeGarbage(ms) {
  const kept = [];
  let made = 0;
  const until = cpu() + ms * 1000;
  while (cpu() < until) {
    kept.push(Array.from({ length: 100 }, (_, i) => ({ i, text: 'text' + i })));
    if (kept.length > 500) kept.length = 0;
    if (++made % 1000 === 0 && global.gc) global.gc();
  }
  return made;
}
makeGarbage(1000);
console.log('garbage ended');
