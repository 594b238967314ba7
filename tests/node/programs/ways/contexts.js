'use strict';
// vm contexts by the hundred, scripts that run out of time, and errors out of other contexts.
const vm = require('vm');
const { waysHot } = require('./hot.js');

let codes = '';
for (let i = 0; i < 100; i++) {
  const context = vm.createContext({ n: i });
  codes += vm.runInContext('n * 2', context) === i * 2 ? '.' : 'X';
  if (i % 20 === 0) {
    waysHot(60);
    try {
      vm.runInContext('for (;;) n++', context, { timeout: 20 });
    } catch (error) {
      codes += `[${error.code}]`;
    }
    try {
      vm.runInContext('(function deep() { return deep() + 1; })()', context);
    } catch (error) {
      codes += `[${error instanceof RangeError} ${error.name}]`;
    }
  }
}
waysHot(100);
console.log(codes);
vm.runInNewContext('throw new Error("out of a context")', {}, { filename: 'virtual.js' });
