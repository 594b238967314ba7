'use strict';
// JavaScript that calls into OpenSSL, libuv's file system and V8's own C++, in functions of known names.
const crypto = require('crypto');

const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };

function hashInOpenSsl(ms) {
  const until = cpu() + ms * 1000;
  while (cpu() < until) crypto.pbkdf2Sync('secret', 'salt', 20000, 32, 'sha512');
}

function parseInV8(ms) {
  const text = JSON.stringify(Array.from({ length: 2000 }, (_, i) => ({ id: i, name: 'item ' + i })));
  const until = cpu() + ms * 1000;
  while (cpu() < until) JSON.parse(text);
}

function handleRequest() {
  hashInOpenSsl(400);
  parseInV8(400);
}

function acceptRequests() {
  handleRequest();
}

setTimeout(acceptRequests, 5);
