import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inParallel } from '#test/long/fleet.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { type Figures, quantile } from './figures.ts';

const COMPONENTS = 100;
/** Number of measured changes, and the time between them (ms), which is longer than a rendering. */
const CHANGES = 20;
const BETWEEN_MS = 4_000;
/** Time (ms) in which all components change repeatedly. */
const BUSY_MS = 20_000;
const POLL_MS = 10;

type Page = { file: string; checks: string[] };

/** Publishes a page of 100 components, each with a push check, and waits for its file. */
async function publishPage({ client, dir }: RealService): Promise<Page> {
  const made = await inParallel(Array.from({ length: COMPONENTS }), 8, () =>
    newCheck(client, { interval_seconds: 3600, failure_threshold: 1 }),
  );
  const components = made.map(({ entity_id }, i) => ({ name: `Component ${i}`, entity_id }));
  const page = { slug: 'bench', title: 'Bench', visibility: 'public', groups: [{ components }] };
  got(await client.post('/v1/status-pages', page), 201);
  const file = join(dir, 'public/status/bench.json');
  while (!(await stat(file).catch(() => undefined))) await pause(POLL_MS);
  return { file, checks: made.map(({ id }) => id as string) };
}

const statesOf = async (file: string): Promise<string[]> =>
  JSON.parse(await readFile(file, 'utf8')).groups[0].components.map(({ state }: { state: string }) => state);

/**
 * Measures a status page of 100 components: the time (ms) from a stored change to the published file that shows it, the
 * renderings per second while all components change, and the time (ms) from the last of these changes to the file that
 * shows all of them.
 */
export async function freshness(): Promise<Figures> {
  await using service = await startRealService();
  const { client } = service;
  const { file, checks } = await publishPage(service);
  const push = async (id: string, success: boolean) =>
    got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 1 }), 201);
  const untilShown = async (i: number, state: string): Promise<number> => {
    const from = performance.now();
    while ((await statesOf(file))[i] !== state) await pause(POLL_MS);
    return performance.now() - from;
  };

  const times: number[] = [];
  for (let n = 0; n < CHANGES; n++) {
    const success = n % 2 === 1;
    await push(checks[n]!, success);
    times.push(await untilShown(n, success ? 'operational' : 'outage'));
    await pause(BETWEEN_MS - times.at(-1)!);
  }

  const renderings = new Set<number>();
  const until = performance.now() + BUSY_MS;
  const watched = (async () => {
    while (performance.now() < until) {
      renderings.add((await stat(file)).mtimeMs);
      await pause(POLL_MS);
    }
  })();
  let success = false;
  while (performance.now() < until) {
    await inParallel(checks, 8, (id) => push(id, success));
    success = !success;
  }
  await watched;
  const from = performance.now();
  const last = success ? 'outage' : 'operational';
  while ((await statesOf(file)).some((state) => state !== last)) await pause(POLL_MS);
  return {
    change_to_page_ms_p50: quantile(times, 0.5),
    change_to_page_ms_p95: quantile(times, 0.95),
    renderings_per_s_of_busy_page: (renderings.size * 1000) / BUSY_MS,
    last_of_many_changes_to_page_ms: performance.now() - from,
  };
}
