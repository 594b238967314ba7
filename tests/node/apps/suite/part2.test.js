const { range, lastValueFrom, map, filter, toArray } = require('rxjs');

function slowSum(rounds) {
  let sum = 0;
  for (let round = 0; round < rounds; round++)
    for (let i = 0; i < 1000; i++) sum = (sum * 31 + i * 2) % 1000003;
  return sum;
}

test('the sum stays below its modulus', () => { expect(slowSum(30000)).toBeLessThan(1000003); });
test('streams', async () => {
  const even = await lastValueFrom(range(0, 20000).pipe(map(n => n * 2), filter(n => n % 2 === 0), toArray()));
  expect(even.every(n => n % 2 === 0)).toBe(true);
});
