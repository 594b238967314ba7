'use strict';
// Reads "PORT REQUESTS" lines; for each sends that many requests over ten kept-alive connections, and prints
// a line when all are answered.
const net = require('net');
const readline = require('readline');

const CONNECTIONS = 10;
const REQUESTS = ['/items?page=1', '/tags'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
const servers = new Map();

// One connection that sends |request| and resolves with the body; the server's answers carry Content-Length.
class Client {
  constructor(port) {
    this.text = '';
    this.socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (data) => this.take(data));
    this.socket.on('error', (error) => { console.error(error.message); process.exit(1); });
  }

  take(data) {
    this.text += data;
    const head = this.text.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = /content-length: (\d+)/i.exec(this.text.slice(0, head));
    const end = length ? head + 4 + Number(length[1]) : -1;
    if (!length) throw new Error('an answer without Content-Length');
    if (this.text.length < end) return;
    const body = this.text.slice(head + 4, end);
    this.text = this.text.slice(end);
    this.answered(body);
  }

  ask(request) {
    return new Promise((resolve) => {
      this.answered = resolve;
      this.socket.write(request);
    });
  }
}

async function burst(port, count) {
  if (!servers.has(port)) servers.set(port, Array.from({ length: CONNECTIONS }, () => new Client(port)));
  const clients = servers.get(port);
  await Promise.all(clients.map(async (client) => {
    for (let i = 0; i < count / CONNECTIONS; i++) await client.ask(REQUESTS[i % 2]);
  }));
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [port, count] = line.split(' ').map(Number);
    await burst(port, count);
    console.log('answered');
  }
  process.exit(0);
}

main();
