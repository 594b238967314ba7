'use strict';
// @coralogix/opentelemetry-profiling with its defaults: wall clock and heap, OTLP every 10 s. It exports
// nothing at exit unless the program waits for stop(), so a program that ends by itself pays for no last
// export.
const { ProfilingProvider } = require(`${process.env.BENCH_MODULES}/@coralogix/opentelemetry-profiling`);

new ProfilingProvider({ serviceName: 'bench' }).start();
