'use strict';
// First the threads of libuv's pool do nothing but make keys, then nothing but compress, each for argv[2] ms of CPU or
// more. Prints what the kernel's clocks say that they used for each.
const fs = require('fs');
const crypto = require('crypto');
const zlib = require('zlib');

// The pool's threads are those that are not there before it has work.
const others = new Set(fs.readdirSync('/proc/self/task'));
// Their ns of CPU; they wait when this is asked, so that it is right to the nanosecond.
function poolCpu() {
  let sum = 0;
  for (const thread of fs.readdirSync('/proc/self/task')) {
    if (others.has(thread)) continue;
    sum += Number(fs.readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
  }
  return sum;
}

const bytes = Buffer.from(Array.from({ length: 200000 }, (_, i) => Math.imul(i, 40503) >> 7));
const works = {
  makeKeys: (done) => crypto.pbkdf2('secret', 'salt', 20000, 32, 'sha256', done),
  compress: (done) => zlib.deflate(bytes, done),
};
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

async function spend(name) {
  const begin = poolCpu();
  const budget = Number(process.argv[2]) * 1e6;
  let used = 0;
  for (let jobs = 2; used < budget; jobs *= 2) {
    await Promise.all(Array.from({ length: jobs }, () => new Promise((resolve) => works[name](resolve))));
    await pause();
    used = poolCpu() - begin;
  }
  return used;
}

(async () => {
  const makeKeys = await spend('makeKeys');
  console.log(JSON.stringify({ makeKeys, compress: await spend('compress') }));
})();
