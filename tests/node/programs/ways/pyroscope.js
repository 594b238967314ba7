'use strict';
// @pyroscope/nodejs (argv[2]) beside us, sending to a server in this process.
const http = require('http');
const Pyroscope = require(process.argv[2]);
const { waysHot } = require('./hot.js');

let sent = 0;
const server = http.createServer((request, response) => {
  request.on('data', (data) => { sent += data.length; }).on('end', () => response.end());
}).listen(0, '127.0.0.1', async () => {
  const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
  Pyroscope.init({ serverAddress: `http://127.0.0.1:${server.address().port}`, appName: 'shop', flushIntervalMs: 300,
    wall: { collectCpuTime: true } });
  Pyroscope.start();
  // Not stopped: its stop() may come between two steps of a round of its heap profiler, which then throws.
  for (let i = 0; i < 20 || !sent; i++) {
    waysHot(30);
    await sleep(5);
  }
  console.log('sent', sent > 500);
  process.exit();
});
