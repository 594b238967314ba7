// JSON, sorting, hashing, recursion, promises: C++ of Node and V8 under JavaScript of every tier, for N milliseconds.
'use strict';
const crypto = require('crypto');
function make(n) { return Array.from({ length: n }, (_, i) => ({ i, s: 'x' + i, a: [i, i + 1] })); }
function json() { return JSON.parse(JSON.stringify(make(300))).length; }
function sort() { return make(500).sort((a, b) => (b.s < a.s ? 1 : -1))[0]; }
function hash() { return crypto.createHash('sha256').update('a'.repeat(2000)).digest('hex'); }
function recurse(n) { return n ? recurse(n - 1) + (json() % 2) : 0; }
const end = Date.now() + Number(process.argv[2]);
(async function main() {
  while (Date.now() < end) { json(); sort(); for (let i = 0; i < 20; i++) hash(); recurse(12); await null; }
})();
