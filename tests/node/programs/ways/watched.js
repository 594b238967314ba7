'use strict';
const { waysHot } = require('./hot.js');

waysHot(300);
console.log('ran', require('./changed.js'));
setInterval(() => { }, 1000);
