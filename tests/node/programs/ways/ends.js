'use strict';
// Hot, then the end that argv[2] names.
const { waysHot } = require('./hot.js');
const how = process.argv[2];

function fail() {
  throw new TypeError(`on purpose: ${how}`);
}

const overflow = () => overflow() + 1;

const ends = {
  exit: () => process.exit(5),
  exitInExit: () => { process.on('exit', (code) => process.exit(code + 9)); },
  throwInTimer: () => { setTimeout(fail, 1); },
  throwInExit: () => { process.on('exit', fail); },
  reject: () => { (async () => { await null; fail(); })(); },
  rejectWithNoError: () => { Promise.reject({ no: 'error' }); },
  caught: () => {
    process.on('uncaughtException', (error, origin) => console.error(error.message, origin));
    process.on('unhandledRejection', (error) => console.error('rejected', error.message));
    setTimeout(fail, 1);
    (async () => { await null; fail(); })();
    setTimeout(() => waysHot(100), 20);
  },
  handlerThrows: () => { process.on('uncaughtException', fail); setTimeout(fail, 1); },
  overflow: () => overflow(),
  handledSignal: () => {
    const wait = setInterval(() => { }, 1000);
    process.on('SIGTERM', (name, number) => { console.log(name, number); waysHot(50); clearInterval(wait); });
    process.kill(process.pid, 'SIGTERM');
  },
  abort: () => process.abort(),
  SIGTERM: () => process.kill(process.pid, 'SIGTERM'),
  SIGINT: () => process.kill(process.pid, 'SIGINT'),
  SIGKILL: () => process.kill(process.pid, 'SIGKILL'),
};

process.on('exit', (code) => console.log('exit', code));
waysHot(300);
ends[how]();
