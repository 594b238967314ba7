// Top-level await, import() of both kinds, import.meta, and an import that fails.
import { createRequire } from 'module';
import { setTimeout as sleep } from 'timers/promises';

const { waysHot } = await import('./hot.js').then((m) => m.default);
await sleep(1);
waysHot(300);
const again = await import('./hot.js?again');
console.log(Object.keys(again).includes('default'), createRequire(import.meta.url)('./hot.js').waysHot === waysHot);
console.log(await import('./missing.mjs').catch((error) => error.code));
console.log(await import('data:text/javascript,export default 6 * 7').then((m) => m.default));
if (process.argv[2] === 'unsettled') await new Promise(() => { });
