import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { clientOf } from '#test/support/client.ts';
import { bareEnv } from '#test/support/command.ts';

const program = new URL('../../../infra/local/start.cjs', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'fleetwatch-demo-'));
const children: ChildProcess[] = [];
// A test that fails leaves its demo running, and the next one could not start in the same folder.
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'close');
  }
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Starts `npm start -- --demo` in an empty folder and waits for its last hint. */
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
  await vi.waitFor(() => expect(out).toContain('docs/use'), { timeout: 20_000 });
  const url = /runs at (\S+)/.exec(out)![1]!;
  const client = clientOf(url, readFileSync(join(folder, '.demo/admin-key'), 'utf8').trim());
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  };
  return { client, out: () => out, stop };
}

const all = async (client: ReturnType<typeof clientOf>) => ({
  entities: (await client.get('/v1/status')).body.entities,
  checks: (await client.get('/v1/checks')).body,
  relations: (await client.get('/v1/relations')).body,
  actions: (await client.get('/v1/actions')).body,
  channels: (await client.get('/v1/notify/channels')).body,
});

describe('the demo', () => {
  it('creates checks of several types, relations and an action in its own folder, and reuses them', async () => {
    const first = await startDemo();
    expect(existsSync(join(folder, '.data'))).toBe(false);
    const made = await all(first.client);
    const types = made.checks.map(({ check_type }: { check_type: string }) => check_type);
    expect(new Set(types)).toEqual(new Set(['http', 'tcp', 'tls', 'dns', 'websocket', 'grpc', 'domain', 'push']));
    expect(made.relations).toHaveLength(3);
    expect(made.actions).toHaveLength(1);

    // One of the two checks of the database is always down: an alert, and a degraded entity.
    await vi.waitFor(() => expect(first.out()).toContain('Database: its certificate is down'), { timeout: 20_000 });
    await vi.waitFor(
      async () => {
        const { entities, checks } = await all(first.client);
        const stateOf = (slug: string) => entities.find((one: { slug: string }) => one.slug === slug).state;
        expect(stateOf('database')).toBe('degraded');
        expect(stateOf('shop')).toBe('up');
        for (const type of ['dns', 'tcp', 'websocket', 'grpc', 'domain']) {
          expect(checks.find((one: { check_type: string }) => one.check_type === type).state, type).toBe('up');
        }
      },
      { timeout: 20_000 },
    );
    await first.stop();

    const second = await startDemo();
    const found = await all(second.client);
    for (const kind of ['entities', 'checks', 'relations', 'actions', 'channels'] as const) {
      expect(found[kind], kind).toHaveLength(made[kind].length);
    }
    await second.stop();
  });

  it('has an action that its target accepts', async () => {
    const demo = await startDemo();
    const [action] = (await demo.client.get('/v1/actions')).body;
    const vars = { entity_name: 'Public API', transition_id: 'none' };
    const { body } = await demo.client.post(`/v1/actions/${action.id}/run`, { vars });
    expect(body).toMatchObject({ dispatch_status: 'success', error_message: '' });
    await vi.waitFor(() => expect(demo.out()).toContain('action requested a restart of Public API'), { timeout: 5000 });
    await demo.stop();
  });
});
