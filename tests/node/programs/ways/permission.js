'use strict';
// What the permission model allows.
const { waysHot } = require('./hot.js');

const tries = {
  read: () => require('fs').readFileSync('/etc/passwd'),
  write: () => require('fs').writeFileSync('written', ''),
  spawn: () => require('child_process').spawnSync('true'),
  worker: () => new (require('worker_threads').Worker)('', { eval: true }),
  addon: () => process.dlopen({ exports: {} }, '/nowhere.node'),
};
waysHot(300);
for (const [kind, attempt] of Object.entries(tries)) {
  try {
    attempt();
    console.log(kind, 'allowed');
  } catch (error) {
    console.log(kind, error.code, error.permission);
  }
}
console.log(process.permission.has('fs.read', '/etc'), process.permission.has('fs.read', __filename));
