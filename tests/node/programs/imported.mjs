const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };

export function burnImported(ms) {
  const until = cpu() + ms * 1000;
  let x = 1;
  while (cpu() < until) for (let i = 0; i < 50000; i++) x = Math.imul(x, 48271) | 1;
  return x;
}
