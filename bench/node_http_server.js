'use strict';
// A service of two routes whose requests cost little, so that a profiler's share of them shows. /cpu tells the CPU time of
// the whole process so far, in microseconds, profiler included.
const http = require('http');

const items = Array.from({ length: 50 }, (_, i) => ({ id: i, name: `item ${i}`, tags: ['a', 'b', String(i)] }));

function listItems(from) {
  return JSON.stringify({ from, items: items.slice(from, from + 20) });
}

function countTags() {
  const tags = {};
  for (const item of items) for (const tag of item.tags) tags[tag] = (tags[tag] || 0) + 1;
  return JSON.stringify(tags);
}

const server = http.createServer((request, response) => {
  if (request.url === '/cpu') {
    const { user, system } = process.cpuUsage();
    response.end(String(user + system));
  } else {
    response.setHeader('content-type', 'application/json');
    response.end(request.url === '/tags' ? countTags() : listItems(request.url.length % 30));
  }
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
