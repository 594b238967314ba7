'use strict';
// Work of several kinds, about 50 ms a unit: own functions, allocation, Map, sort, RegExp, JSON, crypto.
// Answers each line of its input with one line when a unit is done.
const crypto = require('crypto');

class Circle { constructor(r) { this.r = r; } area() { return 3 * this.r * this.r; } }
class Square { constructor(a) { this.a = a; } area() { return this.a * this.a; } }
class Pair { constructor(a, b) { this.a = a; this.b = b; } area() { return this.a * this.b; } }

function recurse(n) { return n < 2 ? n : recurse(n - 1) + recurse(n - 2); }

function shapes(n) {
  const kinds = [() => new Pair(3, 2), (i) => new Circle(i), (i) => new Square(i)];
  const all = Array.from({ length: n }, (_, i) => kinds[i % 3](i));
  return all.reduce((sum, shape) => sum + shape.area(), 0);
}

function count(words) {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

const text = Array.from({ length: 4000 }, (_, i) => `word${(i * 7919) % 613}`).join(' ');

function unit(i) {
  let sum = recurse(24) + shapes(40000);
  for (let round = 0; round < 18; round++) {
    sum += count(text.split(/\s+/)).length + text.replace(/d(\d)\d*/g, (_, digit) => digit).length;
    const rows = Array.from({ length: 1500 }, (_, k) => ({ id: k ^ i, name: `row ${k}`, tags: [String(k)] }));
    sum += JSON.parse(JSON.stringify(rows)).sort((a, b) => a.id - b.id)[0].id;
    sum += crypto.createHash('sha256').update(JSON.stringify(rows)).digest()[0];
  }
  return sum;
}

let units = 0;
process.stdin.on('data', () => console.log(unit(units++)));
process.stdin.on('end', () => process.exit(0));
