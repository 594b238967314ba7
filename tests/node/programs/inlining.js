// Small functions that TurboFan and Maglev inline, each into the one above it; tests/node/inlining_test.py knows them.
'use strict';

function half(value) {
    return (value / 2) | 0;
}

const scale = value => {
    return half(value * 3) + half(value + 1);
};

class Counter {
    constructor() { this.count = 0; }
    add(value) { this.count = (this.count + scale(value)) | 0; }
    get total() { return this.count; }
}

function weigh(text) {
    let sum = 0;
    for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i) & 15;
    return sum;
}

function countdown(n) {
    return n < 1 ? 0 : 1 + countdown(n - 1);
}

function hot(counter, rounds) {
    for (let i = 0; i < rounds; i++) {
        counter.add(i);
        if (counter.total > 1e6) counter.count = 0;
    }
    return counter.total;
}

function shapes(list) {
    return list.map(entry => entry.value).filter(value => value % 2).reduce((sum, value) => sum + value, 0);
}

const words = ['inlined', 'functions', 'have', 'names'];
const list = Array.from({length: 64}, (_, value) => ({value}));
const until = Date.now() + Number(process.argv[2] || 1500);
const counter = new Counter();
let result = 0;
while (Date.now() < until) {
    result += hot(counter, 20000) + countdown(30) + shapes(list);
    for (const word of words) result += weigh(word);
    const made = new Function('a', 'b', `return a * ${result & 7} + b`);
    for (let i = 0; i < 50; i++) result += made(i, 2);
}
console.log(Number.isFinite(result) ? 'done' : 'wrong');
