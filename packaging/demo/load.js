'use strict';
// load.js PORT SECONDS: asks the demo service for all its routes over a few kept-alive connections and prints how many
// requests a second each route answered.
const http = require('http');

const CONNECTIONS = 4;
const [port, seconds] = process.argv.slice(2).map(Number);
const paths = ['/report', '/login', '/search', '/route', '/page', '/export'];
const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const answered = Object.fromEntries(paths.map((path) => [path, 0]));
let failed = 0;

function ask(path) {
  return new Promise((resolve) => {
    const query = path === '/search' ? `?word=${answered[path] % 2}` : '';
    const request = http.get({ port, host: '127.0.0.1', path: path + query, agent, timeout: 5000 }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) answered[path]++;
        else failed++;
        resolve();
      });
    });
    request.on('timeout', () => request.destroy(new Error('no answer within 5 s')));
    request.on('error', () => { failed++; resolve(); });
  });
}

async function client(first, until) {
  for (let i = first; Date.now() < until; i++) await ask(paths[i % paths.length]);
}

async function main() {
  const start = Date.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => client(i, start + seconds * 1000)));
  const elapsed = (Date.now() - start) / 1000;
  for (const path of paths) console.log(`  ${path.padEnd(8)} ${(answered[path] / elapsed).toFixed(1).padStart(8)} requests/s`);
  agent.destroy();
  if (failed) console.log(`  ${failed} requests failed`);
  process.exitCode = failed ? 1 : 0;
}

main();
