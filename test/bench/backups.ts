import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inParallel } from '#test/long/fleet.ts';
import { newCheck } from '#test/support/fleet.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { type Figures, quantile } from './figures.ts';
import { stored } from './steady-fleet.ts';

const CHECKS = 100;
const PER_SECOND = 500;
const BACKUPS = 30;
/** Interval at which due results are sent (ms). */
const EVERY_MS = 10;
/** Warm-up (ms), in which all code is loaded; later pushes are measured. */
const WARM_MS = 5000;

const ADMIN = join(import.meta.dirname, '../../infra/admin/main.ts');

/**
 * Pushes results at a constant rate, also while responses are late. `sent` returns their number, `end` waits for all
 * responses and returns their latencies in ms.
 */
function pushResults({ url, client }: RealService, ids: readonly string[]) {
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' };
  const push = (id: string) =>
    new Promise<number>((resolve, reject) => {
      const began = performance.now();
      const sent = request(`${url}/v1/checks/${id}/results`, { method: 'POST', agent, headers }, (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 201) resolve(performance.now() - began);
          else reject(new Error(`A push returned ${response.statusCode}.`));
        });
      });
      sent.on('error', reject).end('{"success": true, "latency_ms": 5}');
    });
  const pushes: Promise<number>[] = [];
  const began = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * PER_SECOND;
    while (pushes.length < due) pushes.push(push(ids[pushes.length % ids.length]!));
  }, EVERY_MS);
  return {
    sent: (): number => pushes.length,
    end: async (): Promise<number[]> => {
      clearInterval(timer);
      const latencies = await Promise.all(pushes);
      agent.destroy();
      return latencies;
    },
  };
}

/**
 * Takes 30 backups, one after the other, while 500 results a second are pushed. `admin backup` fails unless its copy
 * passes an integrity check. Measures the latency of pushes (ms), and counts accepted results that the store lacks.
 */
export async function backups(): Promise<Figures> {
  await using service = await startRealService();
  const made = await inParallel(Array.from({ length: CHECKS }), 8, () => newCheck(service.client, {}));
  const folder = mkdtempSync(join(tmpdir(), 'fleetwatch-backups-'));
  const took: number[] = [];
  try {
    const results = pushResults(
      service,
      made.map(({ id }) => id as string),
    );
    await pause(WARM_MS);
    const warm = results.sent();
    for (let n = 0; n < BACKUPS; n++) {
      const began = performance.now();
      const words = ['--disable-warning=ExperimentalWarning', ADMIN, 'backup', join(folder, `${n}.db`)];
      await promisify(execFile)(process.execPath, words, { env: { ...process.env, DATA_DIR: service.dir } });
      took.push(performance.now() - began);
    }
    const all = await results.end();
    const latencies = all.slice(warm);
    return {
      backup_ms_p50: quantile(took, 0.5),
      pushes_during_backups: latencies.length,
      push_during_backup_ms_p50: quantile(latencies, 0.5),
      push_during_backup_ms_p99: quantile(latencies, 0.99),
      push_during_backup_ms_max: Math.max(...latencies),
      lost_pushes: all.length - stored(service.dir).runs,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
