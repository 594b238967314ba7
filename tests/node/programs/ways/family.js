'use strict';
// Children and workers made in every way; each says what it was given. Lines are in the order of their kinds; the
// process ids go to the file pids.json.
const childProcess = require('child_process');
const cluster = require('cluster');
const fs = require('fs');
const { Worker, isMainThread, SHARE_ENV, parentPort } = require('worker_threads');
const { waysHot } = require('./hot.js');

const isOurs = (key) => key === 'LD_PRELOAD' || key.startsWith('OTEL_');

function account() {
  const env = Object.entries(process.env).filter(([key]) => !isOurs(key)).sort();
  const { argv0, execArgv, title, exitCode, debugPort } = process;
  return { argv0, execArgv, title, exitCode, debugPort, argv: process.argv.slice(1), env, pid: process.pid };
}

const told = (child) => new Promise((resolve) => { child.once('message', resolve); });
const printed = (child) => new Promise((resolve) => {
  let text = '';
  child.stdout.on('data', (data) => { text += data; }).on('close', () => resolve(JSON.parse(text)));
});
const node = process.execPath;
const bare = Object.fromEntries(Object.entries(process.env).filter(([key]) => isOurs(key)));

const kinds = {
  fork: () => told(childProcess.fork(__filename, ['child', 'a b'], { execArgv: ['--no-warnings'] })),
  cluster: () => { cluster.setupPrimary({ args: ['child'] }); return told(cluster.fork({ GIVEN: 'é "x"' })); },
  spawn: () => printed(childProcess.spawn(node, ['--stack-trace-limit=7', __filename, 'child'])),
  detached: () => printed(childProcess.spawn(node, [__filename, 'child'],
    { env: bare, detached: true, argv0: 'other' })),
  shell: () => printed(childProcess.exec(`"${node}" "${__filename}" child; :`)),
  sync: () => JSON.parse(childProcess.execFileSync(node, [__filename, 'child'],
    { env: { ...process.env, NODE_OPTIONS: '' } })),
  worker: () => told(new Worker(__filename, { argv: ['child'] })),
  workerOfItsOwn: () => told(new Worker(__filename, { argv: ['child'], env: {}, execArgv: ['--no-warnings'] })),
  workerThatShares: () => told(new Worker(__filename, { argv: ['child'], env: SHARE_ENV })),
};

async function main() {
  const pids = {};
  for (const [kind, start] of Object.entries(kinds)) {
    const { pid, ...rest } = await start();
    pids[kind] = pid;
    console.log(JSON.stringify({ kind, ...rest }));
  }
  fs.writeFileSync('pids.json', JSON.stringify(pids));
  cluster.disconnect();
}

if (isMainThread && process.argv[2] !== 'child') {
  main();
} else {
  waysHot(isMainThread ? 300 : 50);
  const say = parentPort ? (text) => parentPort.postMessage(text) : process.send && ((text) => process.send(text));
  if (say) say(account()); else console.log(JSON.stringify(account()));
  if (process.connected) process.disconnect();
}
