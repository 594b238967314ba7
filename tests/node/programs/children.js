'use strict';
// argv[2] children by exec (a shell), spawn and execFile.
const { exec, execFile, execSync, spawnSync } = require('child_process');
const { promisify } = require('util');

async function startChildren(count) {
  let fine = 0;
  for (let i = 0; i < count; i += 5) {
    await Promise.all(Array.from({ length: 4 }, () => promisify(exec)('true').then(() => fine++)));
    await promisify(execFile)('true').then(() => fine++);
  }
  if (execSync('echo out').toString() === 'out\n') fine++;
  if (spawnSync('sh', ['-c', 'exit 3']).status === 3) fine++;
  console.log(fine);
}

startChildren(Number(process.argv[2]));
