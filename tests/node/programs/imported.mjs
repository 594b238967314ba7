export function burnImported(ms) {
  const until = process.hrtime.bigint() + BigInt(ms) * 1000000n;
  let x = 1;
  while (process.hrtime.bigint() < until) for (let i = 0; i < 50000; i++) x = Math.imul(x, 48271) | 1;
  return x;
}
