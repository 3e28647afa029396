import { join } from 'node:path';
import { openStore } from '#infra/local/store/store.ts';

const COMMITS = 200;
const ROW = 'x'.repeat(300);

/** Commits of one row each to a separate file, without other work. */
export type BareDisk = Disposable & {
  /** Returns the ms of 200 commits, ascending: the current speed of the disk with its other users. */
  commits(): Promise<number[]>;
};

export function openBareDisk(dir: string): BareDisk {
  const store = openStore({ file: join(dir, 'bare.db') });
  const put = store.db.prepare("INSERT OR REPLACE INTO items (pk, sk, body) VALUES ('bare', ?, ?)");
  return {
    commits: async () => {
      const took: number[] = [];
      for (let n = 0; n < COMMITS; n++) {
        const begun = performance.now();
        await store.write(() => put.run(String(n), ROW));
        took.push(performance.now() - begun);
      }
      return took.sort((a, b) => a - b);
    },
    [Symbol.dispose]: () => store.close(),
  };
}
