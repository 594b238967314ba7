'use strict';
// Keeps argv[2] MB alive and makes garbage beside them. "all": more and more, until V8 gives up.
const { waysHot } = require('./hot.js');

const kept = [];
const all = process.argv[2] === 'all';
waysHot(200);
while (all || kept.length < Number(process.argv[2]) * 8) kept.push(new Array(16384).fill(kept.length));
for (let i = 0; i < 4000; i++) kept[i % kept.length].slice(0, 2000).reverse();
waysHot(400);
console.log(kept.length, kept.every((array, i) => array[16383] === i));
