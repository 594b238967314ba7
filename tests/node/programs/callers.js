'use strict';
// Spends argv[2] seconds of CPU in calls: short() is called by middle() alone, and middle() by outer() alone.
// recursive() calls itself to a depth of 8 and is called by descend() alone.

const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };

function short(n) {
  return (n * 7 + 3) & 0xff;
}

function middle(n) {
  let x = n;
  for (let i = 0; i < 50; i++) x = short(x + i);
  return x;
}

function outer(n) {
  let x = n;
  for (let i = 0; i < 50; i++) x += middle(x + i);
  return x & 0xff;
}

function recursive(n) {
  return n === 0 ? 1 : recursive(n - 1) + 1;
}

function descend(n) {
  let x = n;
  for (let i = 0; i < 300; i++) x += recursive(8);
  return x & 0xff;
}

const limit = cpu() + Number(process.argv[2]) * 1e6;
let total = 0;
while (cpu() < limit) {
  for (let i = 0; i < 20; i++) {
    total = (total + outer(i)) & 0xff;
    total = (total + descend(i)) & 0xff;
  }
}
console.log(total >= 0 ? 'done' : '');
