'use strict';
// Functions made in other contexts and by eval, with file names of their own.
const vm = require('vm');
const source = (name) => `(function ${name}(until) { let x = 1;
  while (Date.now() < until) for (let i = 0; i < 50000; i++) x = Math.imul(x, 48271) | 1;
  return x; })`;
const context = vm.createContext({ Date, Math });
vm.runInContext(source('inContext'), context, { filename: '/virtual/context.js' })(Date.now() + 300);
vm.runInThisContext(source('inThisContext'), { filename: '/virtual/this.js' })(Date.now() + 300);
eval(source('inEval'))(Date.now() + 300);
console.log('contexts ended');
