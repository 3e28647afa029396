import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '#lib/platform/time.ts';
import { type Client, clientOf } from '#test/support/client.ts';
import { bareEnv } from '#test/support/command.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';

const program = new URL('../../../infra/local/start.cjs', import.meta.url).pathname;
/** Maximum time until the first outage is repaired and verified. */
const STORY_MS = 120_000;
const children: ChildProcess[] = [];
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fleetwatch-demo-'));
});
// A test that fails leaves its demo running.
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Starts `npm start -- --demo` in the folder and waits until it monitors. */
async function startDemo() {
  const child = spawn(process.execPath, [program, '--demo'], {
    cwd: folder,
    env: bareEnv({ PORT: '0' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const [, url = ''] = await eventually(() => /runs at (\S+):/.exec(out), 20_000);
  const client = clientOf(url, readFileSync(join(folder, '.demo/admin-key'), 'utf8').trim());
  await eventually(async () => (await list(client, '/v1/actions')).length === 1, 20_000);
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  };
  return { client, url, out: () => out, stop };
}

const list = async (client: Client, path: string) => got(await client.get(path), 200);

const sizes = async (client: Client) => ({
  entities: (await list(client, '/v1/status')).entities.length,
  checks: (await list(client, '/v1/checks')).length,
  relations: (await list(client, '/v1/relations')).length,
  actions: (await list(client, '/v1/actions')).length,
  channels: (await list(client, '/v1/notify/channels')).length,
  manual_incidents: (await list(client, '/v1/incidents?origin=manual')).length,
});

type History = {
  entity_name: string;
  buckets: { from: string; to: string; seconds: { down: number } }[];
};

type PublicPage = {
  groups: { components: object[] }[];
  incidents: { id: string; status: string; updates: object[] }[];
};

type Change = { entity_name: string; check_to_state: string; alert: { reason: string | null } };

describe('the demo', () => {
  it('creates a catalog with a past in its own folder, and reuses it at the next start', async () => {
    const first = await startDemo();
    expect(first.out().trim()).toMatch(/^Open http:\/\/localhost:\d+\/#\/link\/fwl_/);
    expect(existsSync(join(folder, '.data'))).toBe(false);
    const made = { entities: 12, checks: 12, relations: 14, actions: 1, channels: 1, manual_incidents: 1 };
    expect(await sizes(first.client)).toEqual(made);

    const entities: { id: string }[] = (await list(first.client, '/v1/status')).entities;
    const ids = entities.map(({ id }) => id).join(',');
    const histories: History[] = (await list(first.client, `/v1/history?bucket=day&entity_ids=${ids}`)).entities;
    expect(histories).toHaveLength(12);
    for (const { entity_name, buckets } of histories) {
      const days = buckets.slice(0, -1);
      expect(days, entity_name).toHaveLength(30);
      for (const day of days) expect(day, entity_name).toMatchObject({ complete: true, runs: 1440, coverage: 1 });
    }
    const [incident] = await list(first.client, '/v1/incidents?origin=manual');
    expect(incident.state).toBe('resolved');
    const timeline: { kind: string; at: string }[] = await list(first.client, `/v1/incidents/${incident.id}/timeline`);
    expect(timeline.map(({ kind }) => kind)).toEqual([
      ...['note', 'update', 'resolved', 'update', 'note', 'update', 'opened'],
    ]);
    const page: PublicPage = await eventually(async () => {
      const response = await fetch(`${first.url}/status/demo.json`);
      return response.ok && ((await response.json()) as PublicPage);
    });
    expect(page.groups.flatMap(({ components }) => components)).toHaveLength(8);
    const { updates, status } = page.incidents.find(({ id }) => id === incident.id)!;
    expect([status, updates.length]).toEqual(['resolved', 3]);
    expect(Date.now() - Date.parse(timeline[0]!.at)).toBeGreaterThan(5 * DAY_MS);
    const { buckets } = histories.find(({ entity_name }) => entity_name === 'Orders database')!;
    const during = buckets.find(({ from, to }) => from <= incident.started_at && incident.started_at < to)!;
    expect(during.seconds.down).toBeGreaterThan(600);
    await first.stop();

    const second = await startDemo();
    expect(await sizes(second.client)).toEqual(made);
    await second.stop();
  });

  it(
    'sends one alert for the outage of the database and its five dependents, and repairs it',
    async () => {
      const demo = await startDemo();
      const [action] = await list(demo.client, '/v1/actions');
      const run = await eventually(async () => {
        const runs = await list(demo.client, `/v1/actions/${action.id}/executions`);
        return runs.find(({ verdict }: { verdict: string | null }) => verdict !== null);
      }, STORY_MS);
      expect(run).toMatchObject({ verdict: 'recovered', pipeline_status: 'succeeded', attempt: 1, log_count: 3 });

      const changes: Change[] = await list(demo.client, '/v1/status/transitions');
      const held = changes.filter((one) => one.check_to_state === 'down' && one.alert.reason === 'dependency');
      expect(held.map(({ entity_name }) => entity_name).sort()).toEqual([
        'Accounts',
        'Checkout',
        'Mobile app',
        'Partner API',
        'Web shop',
      ]);
      expect([...demo.out().matchAll(/Z {2}alert +(.*)/g)].map(([, text]) => text)).toEqual([
        ':red_circle: Orders database: Connection is down',
        expect.stringMatching(/^:large_green_circle: Orders database: Connection is up again after \d+ s$/),
      ]);
      await demo.stop();
    },
    STORY_MS,
  );
});
