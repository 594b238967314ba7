'use strict';
// JavaScript that calls into OpenSSL, libuv's file system and V8's own C++, in functions of known names.
const crypto = require('crypto');

function hashInOpenSsl(ms) {
  const until = Date.now() + ms;
  while (Date.now() < until) crypto.pbkdf2Sync('secret', 'salt', 20000, 32, 'sha512');
}

function parseInV8(ms) {
  const text = JSON.stringify(Array.from({ length: 2000 }, (_, i) => ({ id: i, name: 'item ' + i })));
  const until = Date.now() + ms;
  while (Date.now() < until) JSON.parse(text);
}

function handleRequest() {
  hashInOpenSsl(400);
  parseInV8(400);
}

function acceptRequests() {
  handleRequest();
}

setTimeout(acceptRequests, 5);
