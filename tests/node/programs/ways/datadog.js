'use strict';
// The profiler of @datadog/pprof (argv[2]) around a hot function; it must find it as ever.
const pprof = require(process.argv[2]);
const { waysHot } = require('./hot.js');

async function main() {
  for (let i = 0; i < 2; i++) {
    pprof.time.start({ durationMillis: 60000, intervalMicros: 5000, collectCpuTime: i === 1, withContexts: i === 1 });
    pprof.heap.start(16384, 32);
    waysHot(300);
    const kept = Array.from({ length: 20000 }, (_, n) => ({ n }));
    const profile = pprof.time.stop();
    const heap = pprof.heap.profile();
    pprof.heap.stop();
    const found = profile.stringTable.strings.includes('waysHot');
    console.log(found, profile.sample.length > 0, heap.sample.length > 0, kept.length);
    console.log((await pprof.encode(profile)).length > 100);
  }
  waysHot(200);
}

main();
