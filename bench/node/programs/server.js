'use strict';
// A service of two routes whose requests cost little, so that a profiler's share of them shows. Prints its
// port; "gaps" on its input asks for the longest times in ms in which the event loop did not turn, "watch"
// starts to look for them.
const fs = require('fs');
const http = require('http');
const { performance } = require('perf_hooks');

const WATCH_MS = 2;
const items = Array.from({ length: 50 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a', String(id)] }));

function listItems(from) {
  return JSON.stringify({ from, items: items.slice(from, from + 20) });
}

function countTags() {
  const tags = {};
  for (const item of items) for (const tag of item.tags) tags[tag] = (tags[tag] || 0) + 1;
  return JSON.stringify(tags);
}

const server = http.createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(request.url === '/tags' ? countTags() : listItems(request.url.length % 30));
});

// Three of each, ms. cpu: what the thread ran in it, in ticks of the kernel; other programs add nothing.
const gaps = { first: { wall: [], cpu: [] }, later: { wall: [], cpu: [] } };

function keep(longest, gap) {
  longest.push(gap);
  longest.sort((a, b) => b - a).splice(3);
}

function watch() {
  const schedstat = fs.openSync('/proc/thread-self/schedstat');
  const text = Buffer.alloc(100);
  const ran = () => parseInt(text.latin1Slice(0, fs.readSync(schedstat, text, 0, text.length, 0)), 10) / 1e6;
  const start = performance.now();
  let [last, lastRan] = [start, ran()];
  setInterval(() => {
    const [now, nowRan] = [performance.now(), ran()];
    const part = now - start < 1000 ? gaps.first : gaps.later;
    keep(part.wall, now - last - WATCH_MS);
    keep(part.cpu, nowRan - lastRan);
    [last, lastRan] = [now, nowRan];
  }, WATCH_MS);
}

process.stdin.on('data', (line) => {
  if (String(line).startsWith('watch')) watch();
  console.log(JSON.stringify(gaps));
});
process.stdin.on('end', () => process.exit(0));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
