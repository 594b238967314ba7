// An express service: routing, middleware, JSON and query parsing. Prints its port; ends on SIGTERM.
'use strict';
const express = require('express');
const app = express();
app.use(express.json());
app.use((request, response, next) => { response.set('x-path', request.path); next(); });
app.get('/items/:id', (request, response) => response.json({ id: request.params.id, query: request.query }));
app.post('/echo', (request, response) => response.json(request.body));
app.get('/page', (request, response) => response.type('html').send(`<p>${'text '.repeat(200)}</p>`));
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
