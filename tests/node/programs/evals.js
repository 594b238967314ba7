'use strict';
// New code all the time: argv[2] functions made and forgotten.
function makeFunctions(count) {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const made = new Function('a', `let s = ${i}; for (let k = 0; k < 50; k++) s += a * k; return s;`);
    sum += made(i) % 7;
    if (i % 100 === 0) sum += eval(`(() => { let t = 0; for (let k = 0; k < 100; k++) t += k; return t; })()`);
  }
  return sum;
}
console.log(makeFunctions(Number(process.argv[2])));
