'use strict';
// Work that libuv's thread pool does.
const crypto = require('crypto');
const zlib = require('zlib');
const data = crypto.randomBytes(4 << 20);
let left = 4;
const done = () => { if (--left === 0) console.log('pool ended'); };
for (let i = 0; i < 2; i++) {
  crypto.pbkdf2('secret', 'salt', 150000, 64, 'sha512', done);
  zlib.deflate(data, { level: 9 }, done);
}
