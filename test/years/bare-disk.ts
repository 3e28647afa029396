import { join } from 'node:path';
import { openStore } from '#infra/local/store/store.ts';

const COMMITS = 200;
const ROW = 'x'.repeat(300);

/** Writer of single rows to a separate file, which measures the disk without the work of the service. */
export type BareDisk = Disposable & {
  /** Commits 200 rows one by one. Returns the durations (ms), ascending; they show the load of other processes. */
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
