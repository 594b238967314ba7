// An ES module with a top-level await and an import.
import { setTimeout as wait } from 'node:timers/promises';
import { burnImported } from './imported.mjs';

function burnInModule(ms) {
  return burnImported(ms) + 1;
}

await wait(5);
burnInModule(400);
console.log('module ended');
