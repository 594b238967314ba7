// A client of PostgreSQL: prepared queries over one connection, their rows put into a digest that is printed.
'use strict';
const { createHash } = require('crypto');
const { Client } = require('pg');
(async () => {
  const client = new Client({ host: '127.0.0.1', port: Number(process.argv[2]), user: 'postgres', database: 'postgres' });
  await client.connect();
  const digest = createHash('sha256');
  for (let round = 0; round < 300; round++) {
    const { rows } = await client.query({ name: 'series', values: [round],
      text: "select i, i * $1::int as product, i::text as text, date '2024-01-01' + i as day from generate_series(1, 200) i" });
    digest.update(JSON.stringify(rows));
  }
  await client.end();
  console.log(digest.digest('hex'));
})();
