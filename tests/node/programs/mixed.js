'use strict';
// Closures, classes, generators, regular expressions, sorting: many shapes of code, a fixed amount of work.
class Shape {
  constructor(n) { this.n = n; }
  get area() { return this.n * this.n; }
  *points() { for (let i = 0; i < this.n; i++) yield { x: i, y: this.area % (i + 1) }; }
}

function sortPoints(n) {
  return [...new Shape(n).points()].sort((a, b) => a.y - b.y || a.x - b.x).map((p) => `${p.x}:${p.y}`).join(' ');
}

function matchText(text) {
  return text.replace(/(\d+):(\d+)/g, (_, a, b) => b + a).match(/1[0-9]*2/g).length;
}

let sum = 0;
for (let i = 0; i < Number(process.argv[2]); i++) sum += matchText(sortPoints(200 + (i % 50)));
console.log(sum);
