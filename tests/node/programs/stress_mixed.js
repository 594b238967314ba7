'use strict';
// Rounds of the same work in many shapes of code, for argv[2] ms of CPU: closures, generators, classes,
// regular expressions, sorting, JSON, exceptions, code made at run time. Prints the different results,
// which must be one, and what the main thread used in each part, in ns.
const { threadClock } = require('./stress_clock.js');

class Shape {
  constructor(n) { this.n = n; }
  get area() { return this.n * this.n; }
  *points() { for (let i = 0; i < this.n; i++) yield { x: i, y: this.area % (i + 1) }; }
}

class Square extends Shape {
  get area() { return super.area + 1; }
}

const compose = (...steps) => (value) => steps.reduce((result, step) => step(result), value);
const counter = (step) => { let n = 0; return () => (n += step); };

function sortPoints(n) {
  const shape = n % 2 ? new Shape(n) : new Square(n);
  return [...shape.points()].sort((a, b) => a.y - b.y || a.x - b.x).map((p) => `${p.x}:${p.y}`).join(' ');
}

function matchText(text) {
  return text.replace(/(\d+):(\d+)/g, (_, a, b) => b + a).match(/1[0-9]*2/g).length;
}

function copyByJson(n) {
  const list = Array.from({ length: n }, (_, i) => ({ text: 'item ' + i, inner: [i, i + 1, { deep: i }] }));
  return JSON.parse(JSON.stringify(list)).reduce((sum, item) => sum + item.inner[2].deep, 0);
}

function throwAndCatch(n) {
  let caught = 0;
  for (let i = 0; i < n; i++) {
    try {
      if (i % 3 === 0) throw new RangeError('on purpose');
    } catch (error) {
      caught += error.message.length;
    }
  }
  return caught;
}

function changeShapes(n) {
  const values = [1, 1.5, '2', { valueOf: () => 3 }, null, 4n];
  let sum = 0;
  for (let i = 0; i < n; i++) sum += Number(values[i % values.length]) + (i % 7 ? i : i / 2);
  return sum;
}

function mapAndSet(n) {
  const map = new Map();
  for (let i = 0; i < n; i++) map.set('key ' + (i % 40), (map.get('key ' + (i % 40)) || 0) + i);
  return [...map.values()].filter((value) => value % 2).length + new Set(map.keys()).size;
}

function makeAndCall(n) {
  const made = new Function('a', `let s = ${n}; for (let k = 0; k < 40; k++) s += a * k; return s;`);
  const step = counter(3);
  let sum = 0;
  for (let i = 0; i < n; i++) sum += made(step());
  return compose((x) => x + 1, (x) => x * 2, String)(sum).length;
}

// Slices of several ticks, and of unequal length, so that no tick keeps step with them.
const work = {
  sortPoints: [30, () => matchText(sortPoints(120)) + matchText(sortPoints(121))],
  copyByJson: [45, () => copyByJson(80)],
  throwAndCatch: [60, () => throwAndCatch(30)],
  changeShapes: [700, () => changeShapes(300)],
  mapAndSet: [130, () => mapAndSet(200)],
  makeAndCall: [1000, () => makeAndCall(30)],
};
const used = {};
const results = new Set();
const limit = threadClock() + 1e6 * Number(process.argv[2]);
do {
  const round = [];
  for (const [name, [times, step]] of Object.entries(work)) {
    const before = threadClock();
    for (let i = Math.floor(times * (0.5 + Math.random())); i > 1; i--) step();
    round.push(step());
    used[name] = (used[name] || 0) + threadClock() - before;
  }
  results.add(round.join());
} while (threadClock() < limit);
console.log(JSON.stringify({ results: [...results], used }));
