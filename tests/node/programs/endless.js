'use strict';
// Never yields to the event loop, for argv[2] ms.
function neverYields(until) {
  let x = 1;
  while (Date.now() < until) for (let i = 0; i < 100000; i++) x = Math.imul(x, 48271) | 1;
  return x;
}
console.log('begins');
neverYields(Date.now() + Number(process.argv[2]));
console.log('ends');
