'use strict';
// @datadog/pprof as its README shows it: wall clock at 100 Hz, a flush every 10 s and one at exit.
const fs = require('fs');
const zlib = require('zlib');
const { time } = require(`${process.env.BENCH_MODULES}/@datadog/pprof`);

let number = 0;
function flush(restart) {
  const file = `${process.env.BENCH_OUT}/datadog-${process.pid}-${number++}.pb.gz`;
  fs.writeFileSync(file, zlib.gzipSync(time.stop(restart).encode()));
}

time.start({ intervalMicros: 10000, durationMillis: 10000 });
setInterval(() => flush(true), 10000).unref();
process.prependListener('exit', () => flush(false)); // before the library's own
