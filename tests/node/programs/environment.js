'use strict';
// Everything about the process that the library might change and must not.
const fs = require('fs');
const own = ['LD_PRELOAD', 'OTEL_PROFILES_EXPORTER', 'OTEL_PROFILING_FILE_DIR',
  'OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS', 'OTEL_PROFILING_EXIT_TIMEOUT_MS'];
const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !own.includes(key)));
// A profiler may read a file of its own now and then; what stays open is another matter.
const counts = [];
for (let i = 0; i < 20; i++) {
  counts.push(fs.readdirSync('/proc/self/fd').length);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}
console.log(JSON.stringify({
  env,
  argv: process.argv,
  execArgv: process.execArgv,
  globals: Object.getOwnPropertyNames(globalThis).sort(),
  listeners: process.eventNames().map(String).sort(),
  modules: Object.keys(require.cache),
  resources: process.getActiveResourcesInfo ? process.getActiveResourcesInfo() : [],
  stackTraceLimit: Error.stackTraceLimit,
  umask: process.umask(),
  descriptors: Math.min(...counts),
}));
