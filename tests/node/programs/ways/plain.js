'use strict';
// Hot, and what it says of itself.
const { waysHot } = require('./hot.js');

waysHot(300);
console.log(process.argv0, process.execArgv, process.argv.slice(2), process.env.NODE_OPTIONS);
