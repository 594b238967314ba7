'use strict';
// Opens its own inspector by SIGUSR1.
const inspector = require('inspector');
const { waysHot } = require('./hot.js');

waysHot(150);
process.kill(process.pid, 'SIGUSR1');
const timer = setInterval(() => {
  if (!inspector.url()) return;
  clearInterval(timer);
  waysHot(150);
  console.log(inspector.url().startsWith('ws://127.0.0.1:'));
}, 5);
