'use strict';
// What inspector_client.js debugs: it stops in stepped(), lets it go on, profiles it, and ends it.
const { waysHot } = require('./hot.js');

globalThis.rounds = 0;
globalThis.ended = false;

function stepped(value) {
  const local = value * 2;
  globalThis.rounds++;
  return local;
}

const timer = setInterval(() => {
  stepped(21);
  waysHot(20);
  if (globalThis.ended) clearInterval(timer);
}, 1);
