import { writeSync } from 'node:fs';
import { openTable } from '#infra/local/store/sqlite-table.ts';

// Sixteen writers of pairs of items, with a transaction per pair. Each writer prints a line per acknowledged pair.
const table = openTable({ file: process.argv[2]! });

async function writer(name: number): Promise<never> {
  for (let n = 0; ; n++) {
    const sk = `${name}-${n}`;
    const outcome = await table.transact([
      { put: { pk: 'left', sk }, if: 'absent' },
      { put: { pk: 'right', sk }, if: 'absent' },
    ]);
    if (outcome.ok) writeSync(1, `${sk}\n`);
  }
}

await Promise.all(Array.from({ length: 16 }, (_, name) => writer(name)));
