'use strict';
// A small shop's back end, without dependencies: six routes whose work is as different as a real service's.
const crypto = require('crypto');
const http = require('http');
const zlib = require('zlib');

const STOPS = 500;
const products = Array.from({ length: 200 }, (_, i) => ({ id: i, name: `Product ${i}`, price: 5 + ((i * 37) % 95) }));
const orders = Array.from({ length: 4000 }, (_, i) => ({
  id: i, product: (i * 7919) % products.length, quantity: 1 + (i % 5), country: ['DE', 'FR', 'IT', 'PL', 'SE'][i % 5],
}));
const articles = Array.from({ length: 300 }, (_, i) => `Article ${i}: ` + Array.from({ length: 60 }, (_, k) =>
  ['fast', 'delivery', 'returns', `sku-${(i * 31 + k * 17) % 977}`, 'warranty', 'blue', 'steel'][(i + k * k) % 7]).join(' '));

// /report: loops over numbers, objects, sorting, JSON
function aggregateOrders(list) {
  const rows = products.map((product) => ({ name: product.name, pieces: 0, revenue: 0 }));
  for (let day = 0; day < 30; day++) {
    for (const order of list) {
      const row = rows[order.product];
      row.pieces += order.quantity;
      row.revenue += order.quantity * products[order.product].price * (1 - (day % 7) / 100);
    }
  }
  return rows;
}

function compareRevenue(a, b) {
  return b.revenue - a.revenue || a.name.localeCompare(b.name);
}

function buildReport() {
  return JSON.stringify(aggregateOrders(orders).sort(compareRevenue));
}

// /route: an algorithm over typed arrays
function nearestOpenStop(distances, visited) {
  let nearest = -1;
  for (let i = 0; i < distances.length; i++) {
    if (!visited[i] && (nearest < 0 || distances[i] < distances[nearest])) nearest = i;
  }
  return nearest;
}

function planRoute(from, to) {
  const distances = new Float64Array(STOPS).fill(Infinity);
  const visited = new Uint8Array(STOPS);
  distances[from] = 0;
  for (let stop = from; stop !== to; stop = nearestOpenStop(distances, visited)) {
    visited[stop] = 1;
    for (let next = 0; next < STOPS; next++) {
      const distance = distances[stop] + 1 + ((stop * 31 + next * 17) % 251);
      if (distance < distances[next]) distances[next] = distance;
    }
  }
  return distances[to];
}

// /login: cryptography in OpenSSL
function hashPassword(password) {
  return crypto.pbkdf2Sync(password, 'salt', 2000, 32, 'sha256').toString('hex');
}

function signToken(user) {
  return crypto.createHmac('sha256', 'secret').update(user + hashPassword('correct horse')).digest('base64url');
}

// /search: regular expressions over text, and how alike two words are
function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}

function searchArticles(word) {
  const pattern = new RegExp(`(fast|blue)\\s+(\\w+)\\s+sku-\\d*${word}\\b`, 'i');
  return articles.filter((text) => pattern.test(text)).slice(0, 100)
    .map((text) => ({ text: text.slice(0, 40), score: editDistance(word + ' delivery', text.slice(60, 90)) }))
    .sort((a, b) => a.score - b.score);
}

// /page: strings
function escapeHtml(text) {
  let escaped = '';
  for (const c of text) escaped += c === '&' ? '&amp;' : c === '<' ? '&lt;' : c === '"' ? '&quot;' : c;
  return escaped;
}

function renderRow(product) {
  return `<tr><td>${escapeHtml(product.name)}</td><td class="price">${product.price.toFixed(2)}</td></tr>`;
}

function renderPage() {
  let rows = '';
  for (let i = 0; i < 6; i++) rows += products.map(renderRow).join('\n');
  return `<html><body><table>${rows}</table></body></html>`;
}

// /export: compression, on the threads of libuv's pool
function compressExport(respond) {
  zlib.gzip(JSON.stringify(orders.slice(0, 800)), (error, data) => respond(error ? String(error) : data));
}

const routes = {
  '/report': (url, respond) => respond(buildReport()),
  '/login': (url, respond) => respond(signToken('alice')),
  '/search': (url, respond) => respond(JSON.stringify(searchArticles(url.searchParams.get('word') || '1'))),
  '/route': (url, respond) => respond(String(planRoute(3, STOPS - 1))),
  '/page': (url, respond) => respond(renderPage()),
  '/export': (url, respond) => compressExport(respond),
};

const server = http.createServer((request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const route = routes[url.pathname];
  if (!route) return response.writeHead(404).end();
  route(url, (body) => response.end(body));
});

process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
server.listen(Number(process.env.PORT || 0), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
