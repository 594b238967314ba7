'use strict';
// What inspector_client.js debugs: it stops in stepped(), lets it go on, profiles it, and ends it.
const { waysHot } = require('./hot.js');

globalThis.rounds = 0;
globalThis.ended = false;
const kept = []; // the heap profiler tells of what is alive

function stepped(value) {
  const local = value * 2;
  globalThis.rounds++;
  return local;
}

const timer = setInterval(() => {
  stepped(21);
  waysHot(20);
  kept.push(new Array(200).fill(globalThis.rounds));
  if (globalThis.ended) clearInterval(timer);
}, 1);
