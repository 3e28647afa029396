import { simulate } from './simulate.ts';

const [seed, pk] = [Number(process.argv[2]), process.argv[3]!];
const run = await simulate(seed);
for (const c of run.seen.commits)
  for (const ch of c.changes)
    if (
      (ch.key.pk.includes(pk) && !ch.key.sk.startsWith('R#')) ||
      (JSON.stringify(ch.after ?? '').includes(pk) && ch.key.pk.includes('ENTITIES')) ||
      (ch.before && !ch.after && JSON.stringify(ch.before).includes(pk))
    )
      console.log(
        c.n,
        c.at - run.end,
        ch.key.pk.slice(-30),
        ch.key.sk,
        ch.after ? 'put' : 'del',
        (ch.after as any)?.state,
        (ch.after as any)?.enabled,
        (ch.after as any)?.rev,
      );
console.log(
  run.profile,
  run.seen.faults,
  run.seen.outages.map((o) => [o.from - run.end, o.to - run.end]),
);
