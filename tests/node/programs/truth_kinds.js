'use strict';
// Every kind of code, or those of argv[4], each for argv[2] ms of CPU, in calls of about argv[3] rounds of one loop.
// Prints what the kernel's clock of this thread says that each of them used, and each line of threeLoops. A line that
// says `begins NAME` is where the function NAME begins, one that says `runs NAME` where it spends its time, with
// `at WORD WORD` in a call where one of these words is.
const crypto = require('crypto');
const zlib = require('zlib');
const { cpu } = require('./truth_clock.js');

const budget = Number(process.argv[2]) * 1e6;
const N = Number(process.argv[3]);
const INNER = Math.ceil(N / 250);
let sink = 0;

function earlyLoop(n) { // begins earlyLoop
  let x = n;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs earlyLoop
  return x;
}
// V8 may compile it before the profiler has met the thread, and then without the places of its code.
earlyLoop(2);

function plainLoop(n) { // begins plainLoop
  let x = n;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs plainLoop
  return x;
}

function makeClosure(start) {
  return function closureLoop(n) { // begins closureLoop
    let x = start;
    for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs closureLoop
    return x;
  };
}
const closure = makeClosure(5);

function inlinedStep(n) { // begins inlinedStep
  let x = n;
  for (let i = 0; i < 250; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs inlinedStep
  return x;
}
function callsInlined(n) { // begins callsInlined
  let x = n;
  for (let i = 0; i < n; i += 250) x ^= inlinedStep(i); // runs callsInlined at inlinedStep
  return x;
}

function firstOfTwo(n) { // begins firstOfTwo
  let x = n;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs firstOfTwo
  return x;
}
function secondOfTwo(n) { // begins secondOfTwo
  let x = n;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs secondOfTwo
  return x;
}
function twoCalls() { // begins twoCalls
  return firstOfTwo(N) ^ secondOfTwo(N); // runs twoCalls at firstOfTwo secondOfTwo
}

const lines = { first: 0, second: 0, third: 0 };
function threeLoops(n) { // begins threeLoops
  let x = n;
  const start = cpu();
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // first of threeLoops
  const first = cpu();
  for (let i = 0; i < 2 * n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // second of threeLoops
  const second = cpu();
  for (let i = 0; i < 3 * n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // third of threeLoops
  const third = cpu();
  lines.first += first - start;
  lines.second += second - first;
  lines.third += third - second;
  return x;
}

function* generatorLoop(n) { // begins generatorLoop
  let x = n;
  for (let i = 0; i < n; i++) { // runs generatorLoop
    x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs generatorLoop
    if ((i & 4095) === 0) yield x; // runs generatorLoop
  }
}
function takeAll() { // begins takeAll
  let x = 0;
  for (const y of generatorLoop(N)) x ^= y; // runs takeAll
  return x;
}

async function afterAwait(n) { // begins afterAwait
  let x = await n;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs afterAwait
  return x;
}

class Shape {
  #seed = 3;

  get area() { // begins get area
    let x = this.#seed;
    for (let i = 0; i < N; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs get area
    return x;
  }

  set width(n) { // begins set width
    let x = n;
    for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs set width
    sink = x;
  }

  #hidden(n) { // begins #hidden
    let x = n;
    for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs #hidden
    return x;
  }

  callHidden(n) { // begins callHidden
    return this.#hidden(n); // runs callHidden at (n)
  }

  static ofClass(n) { // begins ofClass
    let x = n;
    for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs ofClass
    return x;
  }
}
const shape = new Shape();
function readArea() { // begins readArea
  return shape.area; // runs readArea at area
}
function writeWidth() { // begins writeWidth
  shape.width = N; // runs writeWidth at =
  return 0;
}
function callStatic() { // begins callStatic
  return Shape.ofClass(N); // runs callStatic at ofClass
}

const trapped = new Proxy({}, {
  get: function trapGet(target, key) { // begins trapGet
    let x = key.length;
    for (let i = 0; i < N; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs trapGet
    return x;
  },
});
function readTrapped() { // begins readTrapped
  return trapped.anything; // runs readTrapped at anything
}

function behindBind(n) { // begins behindBind
  let x = this.start;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs behindBind
  return x;
}
const bound = behindBind.bind({ start: 7 });
function callBound() { // begins callBound
  return bound(N); // runs callBound at bound
}

function tagLoop(strings, n) { // begins tagLoop
  let x = strings.length;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs tagLoop
  return x;
}
function useTag() { // begins useTag
  return tagLoop`count ${N} times`; // runs useTag at `count
}

function compareItems(a, b) { // begins compareItems
  let x = a; // runs compareItems
  for (let i = 0; i < INNER; i++) x = (Math.imul(x, 1664525) + b) | 0; // runs compareItems
  return a - b + (x === 1 ? 1 : 0); // runs compareItems
}
const unsorted = Array.from({ length: 50 }, (_, i) => Math.imul(i, 40503) & 0xffff);
function sortItems() { // begins sortItems
  return unsorted.slice().sort(compareItems)[0]; // runs sortItems at sort(
}

const text = 'slow green sku-10 fast grey sku-7 '.repeat(3000);
function matchText() { // begins matchText
  return text.replace(/(fast|blue)\s+(\w+)\s+sku-\d*1\b/g, '').length; // runs matchText at replace
}

const row = (_, i) => ({ id: i, name: 'row ' + i, tags: ['a', 'b'], at: { x: i / 3 } });
const rows = Array.from({ length: 2000 }, row);
const json = JSON.stringify(rows);
function writeJson() { // begins writeJson
  return JSON.stringify(rows).length; // runs writeJson at stringify
}
function readJson() { // begins readJson
  return JSON.parse(json).length; // runs readJson at parse
}

function stretchKey() { // begins stretchKey
  return crypto.pbkdf2Sync('secret', 'salt', 5000, 32, 'sha256')[0]; // runs stretchKey at pbkdf2Sync
}
const bytes = Buffer.from(text.repeat(4));
function hashBytes() { // begins hashBytes
  return crypto.createHash('sha256').update(bytes).digest()[0]; // runs hashBytes at createHash update digest
}
function pack() { // begins pack
  return zlib.deflateSync(bytes).length; // runs pack at deflateSync
}

// The callbacks of what libuv's pool does; truth_pool.js looks at the pool itself.
function hashed() {
  return new Promise((resolve) => crypto.randomBytes(16, function afterHash(error) { // begins afterHash
    let x = error ? 1 : 0;
    for (let i = 0; i < 8 * N; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs afterHash
    resolve(x);
  }));
}
const little = Buffer.from('little');
function packed() {
  return new Promise((resolve) => zlib.deflateRaw(little, function afterPack(error) { // begins afterPack
    let x = error ? 1 : 0;
    for (let i = 0; i < 8 * N; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; // runs afterPack
    resolve(x);
  }));
}

const spin = '{ let x = n; for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0; ' +
  'return x; }';
function oneUse() {
  // A function that is new each time never gets hot by calls: V8 begins it in its interpreter.
  return (0, eval)('(function evalLoop(n) ' + spin + ')')(N);
}

// A module of one function, wasmLoop(n), the same loop again, with a section that tells its name.
const section = (id, ...body) => [id, body.length, ...body];
const wasmName = [8, ...Buffer.from('wasmLoop')];
const wasmCode = [1, 1, 127, 3, 64, 32, 1, 65, 141, 204, 229, 0, 108, 65, 223, 230, 187, 227, 3, 106, 33, 1, 32, 0,
  65, 1, 107, 34, 0, 65, 0, 74, 13, 0, 11, 32, 1, 11];
const WASM = [0, 97, 115, 109, 1, 0, 0, 0, ...section(1, 1, 96, 1, 127, 1, 127), ...section(3, 1, 0),
  ...section(7, 1, ...wasmName, 0, 0), ...section(10, 1, wasmCode.length, ...wasmCode),
  ...section(0, 4, ...Buffer.from('name'), ...section(1, 1, 0, ...wasmName))];
const wasm = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(WASM))).exports;
function callWasm() { // begins callWasm
  return wasm.wasmLoop(1000000); // runs callWasm at wasmLoop
}

// By the name of the function that does the work; in an array the arrow functions have no names.
const kinds = new Map([
  ['earlyLoop', () => earlyLoop(N)],
  ['plainLoop', () => plainLoop(N)],
  ['closureLoop', () => closure(N)],
  ['callsInlined', () => callsInlined(N)],
  ['twoCalls', twoCalls],
  ['threeLoops', () => threeLoops(3 * N)],
  ['generatorLoop', takeAll],
  ['get area', readArea],
  ['set width', writeWidth],
  ['#hidden', () => shape.callHidden(N)],
  ['ofClass', callStatic],
  ['trapGet', readTrapped],
  ['behindBind', callBound],
  ['tagLoop', useTag],
  ['compareItems', sortItems],
  ['matchText', matchText],
  ['writeJson', writeJson],
  ['readJson', readJson],
  ['stretchKey', stretchKey],
  ['hashBytes', hashBytes],
  ['pack', pack],
  ['evalLoop', oneUse],
  ['callWasm', callWasm],
]);
const promised = new Map([['afterAwait', () => afterAwait(N)], ['afterHash', hashed], ['afterPack', packed]]);

async function callOften(name, times) {
  const kind = kinds.get(name);
  if (kind) for (let i = 0; i < times; i++) sink ^= kind();
  else for (let i = 0; i < times; i++) sink ^= await promised.get(name)();
}

async function main() {
  const wanted = process.argv[4] ? process.argv[4].split(',') : [...kinds.keys(), ...promised.keys()];
  // The profiler meets the thread.
  for (const end = cpu() + 300e6; cpu() < end;) sink ^= JSON.stringify(rows).length;
  const used = {};
  for (const name of wanted) {
    used[name] = 0;
    for (let times = 1, spent = 0; used[name] < budget; times *= spent < 20e6 ? 2 : 1) {
      const begin = cpu();
      await callOften(name, times);
      spent = cpu() - begin;
      used[name] += spent;
    }
  }
  console.log(JSON.stringify({ used, lines }));
}
main();
