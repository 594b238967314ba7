'use strict';
// Functions made in other contexts and by eval, with file names of their own.
const vm = require('vm');
const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };
const source = (name) => `(function ${name}(cpu, until) { let x = 1;
  while (cpu() < until) for (let i = 0; i < 50000; i++) x = Math.imul(x, 48271) | 1;
  return x; })`;
const context = vm.createContext({ Math });
vm.runInContext(source('inContext'), context, { filename: '/virtual/context.js' })(cpu, cpu() + 300000);
vm.runInThisContext(source('inThisContext'), { filename: '/virtual/this.js' })(cpu, cpu() + 300000);
eval(source('inEval'))(cpu, cpu() + 300000);
console.log('contexts ended');
