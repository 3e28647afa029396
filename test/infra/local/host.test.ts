import { copyFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RESULTS, under } from '#lib/keys.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { resultRecord } from '#lib/results/result-record.ts';
import type { DeadlineEntry } from '#lib/schedule/entries.ts';
import { memoryLog } from '#test/support/log.ts';
import { type Service, startService } from '#test/support/service.ts';
import { cleanUp, client, type Json, newDir, start } from './host-process.ts';

afterEach(async () => {
  vi.useRealTimers();
  await cleanUp();
});

/** Creates an entity and a check of it. */
async function newCheck(call: ReturnType<typeof client>, check: object): Promise<Json> {
  await call('POST', '/v1/blueprints', { slug: 'service', name: 'Service' });
  const entity = await call('POST', '/v1/blueprints/service/entities', { slug: 'one', name: 'One', fields: {} });
  return call('POST', '/v1/checks', { entity_id: entity.id, interval_seconds: 1, ...check });
}

/** Reads the single results of a check from the table, oldest first. */
async function resultsOf({ ports, keys }: Service, check: Json): Promise<ReturnType<typeof resultRecord>[]> {
  const { items: accounts } = await ports.table.query({ partition: keys.accounts });
  const results = await allOf<ResultItem>(ports.table, {
    partition: keys.ofCheck(accounts[0]!.sk, check.id),
    ...under(RESULTS),
  });
  return results.map((item) => resultRecord(check.id, item));
}

describe('the embedded service', () => {
  it('starts in an empty folder, prints its URL and key, and restricts the key file to its owner', async () => {
    const dir = join(newDir(), 'not', 'yet');
    const service = start({ DATA_DIR: dir });
    const { url, key } = await service.ready;
    expect(service.out()).toContain(`curl -H "Authorization: Bearer ${key}" ${url}/v1/me`);
    expect(readFileSync(join(dir, 'admin-key'), 'utf8').trim()).toBe(key);
    for (const file of ['admin-key', 'fleetwatch.db']) expect(statSync(join(dir, file)).mode & 0o777).toBe(0o600);
    expect(await client({ url, key })('GET', '/v1/me')).toMatchObject({ role: 'admin' });
    expect(service.err()).not.toContain(key);
  });

  it('prints its admin key only at the first start, then its location', async () => {
    const dir = newDir();
    const first = start({ DATA_DIR: dir });
    const { key } = await first.ready;
    expect(first.out()).toContain(`Admin key: ${key} `);
    first.child.kill('SIGTERM');
    await first.exited;
    const second = start({ DATA_DIR: dir });
    const again = await second.ready;
    expect(again.key).toBe(key);
    expect(second.out()).toContain(`Admin key: in ${join(dir, 'admin-key')}`);
    expect(second.out() + second.err()).not.toContain(key);
    expect(await client(again)('GET', '/v1/me')).toMatchObject({ role: 'admin' });
  });

  it('does not print a deleted admin key', async () => {
    const dir = newDir();
    const first = start({ DATA_DIR: dir });
    const call = client(await first.ready);
    const [key] = await call<Json[]>('GET', '/v1/auth/keys');
    await call('POST', '/v1/auth/keys', { label: 'another' });
    await call('DELETE', `/v1/auth/keys/${key!.id}`);
    first.child.kill('SIGTERM');
    await first.exited;
    const second = start({ DATA_DIR: dir });
    await vi.waitFor(() => expect(second.out()).toContain('npm run admin -- key issue ID'), { timeout: 10_000 });
    expect(second.out()).toContain('Bearer <API_KEY>');
  });

  it('rejects a number of partitions that does not match its data', async () => {
    const dir = newDir();
    await (await startService({ dir })).stop();
    await expect(startService({ dir, env: { BUCKETS: '2' } })).rejects.toThrow('BUCKETS=1');
    await (await startService({ dir })).stop();
  });

  it('exits with 0 on SIGTERM and unlocks its folder', async () => {
    const dir = newDir();
    const service = start({ DATA_DIR: dir });
    const { key } = await service.ready;
    service.child.kill('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    const again = start({ DATA_DIR: dir });
    expect((await again.ready).key).toBe(key);
  });

  it('finishes and records a probe in flight before it exits', async () => {
    let answer = () => {};
    let asked = 0;
    const probed = createServer((_, response) => {
      asked++;
      answer = () => response.end('ok');
    });
    await new Promise<void>((resolve) => probed.listen(0, '127.77.0.1', resolve));
    const dir = newDir();
    const service = await startService({ dir });
    const call = client({ url: service.url, key: service.adminKey });
    const { port } = probed.address() as AddressInfo;
    const check = await newCheck(call, {
      check_type: 'http',
      target_url: `http://127.77.0.1:${port}/`,
      interval_seconds: 60,
    });
    await vi.waitFor(() => expect(asked).toBe(1), { timeout: 10_000 });
    const stopped = service.stop();
    answer();
    expect(await stopped).toBe(true);
    probed.close();
    const again = await startService({ dir });
    expect(await resultsOf(again, check)).toMatchObject([{ success: true, status_code: 200 }]);
    await again.stop();
  });

  it('keeps every acknowledged push through a kill -9, continues probing, and records the outage', async () => {
    const dir = newDir();
    const first = start({ DATA_DIR: dir });
    const login = await first.ready;
    const call = client(login);
    const check = await newCheck(call, { check_type: 'push', interval_seconds: 60 });
    const probed = createServer((_, response) => response.end('ok'));
    await new Promise<void>((resolve) => probed.listen(0, '127.77.0.1', resolve));
    const { port } = probed.address() as AddressInfo;
    const pull = await call('POST', '/v1/checks', {
      entity_id: check.entity_id,
      check_type: 'http',
      target_url: `http://127.77.0.1:${port}/`,
      interval_seconds: 1,
    });
    const answered: string[] = [];
    const push = async (): Promise<void> => {
      try {
        for (;;) answered.push((await call('POST', `/v1/checks/${check.id}/heartbeat`)).id);
      } catch {
        // The process was killed.
      }
    };
    const pushing = Array.from({ length: 8 }, push);
    await vi.waitFor(() => expect(answered.length).toBeGreaterThan(200), { timeout: 10_000 });
    first.child.kill('SIGKILL');
    await first.exited;
    await Promise.all(pushing);

    const after = Date.now();
    const log = memoryLog();
    const second = await startService({ dir, log });
    expect(log.lines[0]).toMatchObject({ level: 'warn', fields: { to: expect.stringMatching(/Z$/) } });
    const again = client({ url: second.url, key: login.key });
    const kept = new Set((await resultsOf(second, check)).map((result) => result.id));
    expect(answered.filter((id) => !kept.has(id))).toEqual([]);
    await vi.waitFor(
      async () => {
        const { results } = await again<{ results: Json[] }>('GET', `/v1/checks/${pull.id}/results?limit=1`);
        expect(Date.parse(String(results[0]?.checked_at))).toBeGreaterThan(after);
      },
      { timeout: 10_000, interval: 50 },
    );
    await second.stop();
    probed.close();
  });

  it.each([
    [
      'is copied into another folder without its liveness file',
      (dir: string) => {
        const copy = newDir();
        for (const name of ['fleetwatch.db', 'admin-key']) copyFileSync(join(dir, name), join(copy, name));
        return copy;
      },
    ],
    [
      'lost its liveness file',
      (dir: string) => {
        rmSync(join(dir, 'alive'));
        return dir;
      },
    ],
  ])('detects no missed heartbeat for the time before its start when its store %s', async (_what, move) => {
    const dir = newDir();
    const anHourAgo = { ...systemClock, now: () => Date.now() - 3_600_000 };
    const before = await startService({ dir, world: { clock: anHourAgo } });
    const call = client({ url: before.url, key: before.adminKey });
    const check = await newCheck(call, { check_type: 'push', interval_seconds: 60, failure_threshold: 1 });
    await call('POST', `/v1/checks/${check.id}/heartbeat`);
    const deadlineOf = async ({ ports, keys }: Service) => {
      const { items } = await ports.table.query<DeadlineEntry>({
        partition: keys.entries(0),
        ...under('missed_heartbeat'),
      });
      return items[0]!.deadline;
    };
    await vi.waitFor(async () => expect(await deadlineOf(before)).toBeGreaterThan(0));
    await before.stop();

    const log = memoryLog();
    const after = await startService({ dir: move(dir), log });
    expect(log.lines[0]).toMatchObject({ message: 'schedule outage recorded' });
    await vi.waitFor(async () => expect(await deadlineOf(after)).toBeGreaterThan(Date.now()), { timeout: 10_000 });
    expect(await resultsOf(after, check)).toMatchObject([{ success: true }]);
    const now = client({ url: after.url, key: after.adminKey });
    expect(await now('GET', `/v1/checks/${check.id}`)).toMatchObject({ state: 'up' });
    await after.stop();
  });

  it('does not read its store while idle', async () => {
    vi.useFakeTimers({ now: Date.parse('2026-11-21T05:16:00.500Z'), toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const service = await startService();
    const { store } = service.ports.table;
    // The tick at the start is handled within a few turns of the event loop.
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(5000);
    const read = vi.spyOn(store, 'read');
    const write = vi.spyOn(store, 'write');
    await vi.advanceTimersByTimeAsync(50_000);
    expect(read).not.toHaveBeenCalled();
    expect(write).not.toHaveBeenCalled();
    vi.useRealTimers();
    await service.stop();
  });
});
