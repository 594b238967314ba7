'use strict';
// A debugger: argv[2] is the address, argv[3] the module ws. Breakpoint, evaluation in the frame, stepping, CPU profile,
// heap profile. Prints what it saw, and tells the program to end.
const WebSocket = require(process.argv[3]);
const socket = new WebSocket(process.argv[2]);
const waiting = new Map();
const events = new Map();
let last = 0;

function send(method, params = {}) {
  socket.send(JSON.stringify({ id: ++last, method, params }));
  return new Promise((resolve, reject) => waiting.set(last, { resolve, reject, method }));
}

const event = (name) => new Promise((resolve) => events.set(name, resolve));
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

socket.on('message', (data) => {
  const message = JSON.parse(data);
  if (message.id) {
    const { resolve, reject, method } = waiting.get(message.id);
    if (message.error) reject(new Error(`${method}: ${message.error.message}`)); else resolve(message.result);
  } else if (events.has(message.method)) {
    events.get(message.method)(message.params);
    events.delete(message.method);
  }
});

const place = ({ functionName, location }) => `${functionName} ${location.lineNumber}`;

async function debug() {
  await send('Debugger.enable');
  const { breakpointId } = await send('Debugger.setBreakpointByUrl', { urlRegex: 'inspected\\.js$', lineNumber: 9 });
  let paused = event('Debugger.paused');
  await send('Runtime.runIfWaitingForDebugger');
  let frames = (await paused).callFrames;
  while (frames[0].functionName !== 'stepped') {
    paused = event('Debugger.paused');
    await send('Debugger.resume');
    frames = (await paused).callFrames;
  }
  console.log('paused in', place(frames[0]));
  await send('Debugger.removeBreakpoint', { breakpointId });
  paused = event('Debugger.paused');
  await send('Debugger.stepOver');
  frames = (await paused).callFrames;
  const { callFrameId } = frames[0];
  const { result } = await send('Debugger.evaluateOnCallFrame', { callFrameId, expression: 'local' });
  console.log('stepped to', place(frames[0]), 'where local is', result.value);
  await send('Debugger.resume');
}

async function goesOn() {
  const rounds = async () => (await send('Runtime.evaluate', { expression: 'rounds' })).result.value;
  while (await rounds() < 4) await sleep(10);
}

async function profile() {
  await send('Profiler.enable');
  await send('Profiler.setSamplingInterval', { interval: 1000 });
  await send('Profiler.start');
  await send('HeapProfiler.enable');
  await send('HeapProfiler.startSampling', { samplingInterval: 1024 });
  await sleep(400);
  const heap = (await send('HeapProfiler.stopSampling')).profile;
  const { nodes, samples, startTime, endTime } = (await send('Profiler.stop')).profile;
  // By the file: V8 may inline waysHot into the timer's function.
  const hot = new Set(nodes.filter((node) => /ways.(hot|inspected).js$/.test(node.callFrame.url)).map((node) => node.id));
  console.log('profile', hot.size > 0, endTime - startTime > 350000,
    samples.filter((id) => hot.has(id)).length > 0.3 * samples.length, heap.head.children.length > 0);
}

socket.on('open', async () => {
  await send('Runtime.enable');
  await debug();
  await goesOn();
  await profile();
  await send('Runtime.evaluate', { expression: 'globalThis.ended = true' });
  socket.close();
});
