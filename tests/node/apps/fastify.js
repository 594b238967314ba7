// A fastify service with schemas, so with generated serializers and validators. Prints its port; ends on SIGTERM.
'use strict';
const app = require('fastify')();
const item = { type: 'object', properties: { id: { type: 'string' }, query: { type: 'object', additionalProperties: true } } };
app.addHook('onRequest', async (request, reply) => { reply.header('x-path', request.url); });
app.get('/items/:id', { schema: { response: { 200: item } } },
  async request => ({ id: request.params.id, query: request.query }));
app.post('/echo', { schema: { body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } } },
  async request => request.body);
app.get('/page', async (request, reply) => reply.type('text/html').send(`<p>${'text '.repeat(200)}</p>`));
app.listen({ port: 0, host: '127.0.0.1' }).then(() => console.log(app.server.address().port));
process.on('SIGTERM', () => process.exit(0));
