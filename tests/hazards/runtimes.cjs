// What services do, in any runtime that has Node's modules: workers, HTTP, compression, a child, garbage; exit code 5.
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const { execSync } = require('node:child_process');
const http = require('node:http');
const zlib = require('node:zlib');

function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

function burn(rounds) {
  let n = 0;
  for (let i = 0; i < rounds; i++) n += fib(22);
  return n;
}

async function serve(requests) {
  const server = http.createServer((_, answer) => answer.end(zlib.gzipSync(Buffer.alloc(20000, 'x'))));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  let bytes = 0;
  for (let i = 0; i < requests; i++) {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}/`);
    bytes += (await answer.arrayBuffer()).byteLength;
  }
  server.close();
  return bytes > 0;
}

async function main() {
  const workers = [];
  for (let i = 0; i < 2; i++) {
    workers.push(new Promise((resolve, reject) => {
      const worker = new Worker(__filename);
      worker.on('message', resolve);
      worker.on('error', reject);
    }));
  }
  console.log('http', await serve(200), execSync('echo child').toString().trim());
  console.log('workers', (await Promise.all(workers)).join());
  for (const end = performance.now() + 2000; performance.now() < end;) burn(10);
  for (let i = 0; i < 50; i++) {
    const garbage = [];
    for (let k = 0; k < 50000; k++) garbage.push({ k });
  }
  process.exit(5);
}

if (isMainThread) main();
else parentPort.postMessage(burn(60));
