// A mixed application, for N ms of CPU: closures, methods, getters, generators, callbacks through builtins, async functions,
// eval, vm, new Function, regular expressions, JSON. Everything leaves through the end of the script, not process.exit.
'use strict';
const vm = require('vm');
const crypto = require('crypto');

class Account {
  #log = [];
  constructor(id) { this.id = id; this.cents = 0; }
  get balance() { return weigh(this.cents) + this.#log.length; }
  deposit(cents) {
    this.cents += weigh(cents) % 100;
    this.#log.push(cents);
    if (this.#log.length > 50) this.#log = [];
    return this;
  }
  static compare(a, b) { return a.balance - b.balance || a.id - b.id; }
  *steps(n) { for (let i = 0; i < n; i++) yield weigh(this.cents + i); }
}

function weigh(x) {
  let s = x | 0;
  for (let i = 0; i < 40; i++) s = (s * 31 + i) | 0;
  return s & 0xffff;
}

const counter = (step) => {
  let n = 0;
  const next = () => { n = (n + step) % 1000; return weigh(n); };
  return { next, twice: () => next() + next() };
};

const accounts = Array.from({ length: 60 }, (_, id) => new Account(id));
const count = counter(7);
const compiled = new Function('weigh', 'n', 'let t = 0;\nfor (let i = 0; i < n; i++) t += weigh(i);\nreturn t;');
const text = '(function fromVm(f, n) {\n  let t = 0;\n  for (let i = 0; i < n; i++) t += f(i);\n  return t;\n})';
const inContext = vm.runInThisContext(text, { filename: 'fromvm.js' });

function callbacks() {
  accounts.forEach((account) => account.deposit(count.twice()));
  const sorted = accounts.slice().sort(Account.compare);
  return sorted.map((a) => a.balance).filter((b) => b & 1).reduce((sum, b) => sum + weigh(b), 0);
}

function generated() {
  let sum = 0;
  for (const step of accounts[3].steps(80)) sum += step;
  for (const [key, value] of new Map([...accounts.entries()].slice(0, 20))) sum += key + value.balance;
  return sum;
}

function texts() {
  const text = JSON.stringify(accounts.slice(0, 20), (key, value) => (key === 'cents' ? weigh(value) : value));
  const again = JSON.parse(text, (key, value) => (typeof value === 'number' ? value + 1 : value));
  return text.replace(/"id":(\d+)/g, (_, id) => `"${weigh(id)}"`).length + again.length;
}

function evaluated() {
  return eval('(function insideEval(n) { let t = 0; for (let i = 0; i < n; i++) t += weigh(i); return t; })(100)') +
    compiled(weigh, 100) + inContext(weigh, 100);
}

function recursive(n) { return n < 2 ? weigh(n) & 1 : recursive(n - 1) + recursive(n - 2); }

async function query(n) { await null; return count.next() + recursive(n); }
async function service(n) {
  const rows = await Promise.all([query(n), query(n - 1), query(n - 2)]);
  return rows.reduce((a, b) => a + b) + (await new Promise((resolve) => setImmediate(() => resolve(generated()))));
}

function thrower(n) { if (n <= 0) throw new Error('bottom'); return thrower(n - 1) + 1; }
function caught() { try { return thrower(20); } catch (error) { return error.stack.length; } }

function native() { return crypto.createHash('sha1').update(Buffer.alloc(2000, 7)).digest('hex').length; }

const used = () => (({ user, system }) => (user + system) / 1000)(process.cpuUsage());

async function main() {
  const end = used() + Number(process.argv[2]);
  let sum = 0;
  while (used() < end) {
    for (const work of [callbacks, generated, texts, evaluated, caught, native]) sum += work();
    sum += await service(11);
  }
  console.log(sum > 0 ? 'done' : 'nothing');
}
main();
