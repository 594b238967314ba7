'use strict';
// Two named workers; each tells its thread's name by the kernel while it is hot.
const fs = require('fs');
const { Worker, isMainThread, threadId } = require('worker_threads');
const { waysHot } = require('./hot.js');

if (isMainThread) {
  const start = (name) => new Worker(__filename, { name }).on('exit', (code) => console.log('ended', code));
  start('invoices').on('exit', () => start('a name of more than fifteen characters'));
} else {
  waysHot(250);
  console.log(threadId, fs.readFileSync(`/proc/self/task/${fs.readlinkSync('/proc/thread-self').split('/').pop()}/comm`,
    'utf8').slice(0, -1));
}
