import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHostSettings } from '#infra/local/settings.ts';
import { clientOf } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { pushTo } from '#test/support/failing-check.ts';
import { got, newBlueprint, newCheck } from '#test/support/fleet.ts';
import { parseMetrics, type Sample } from '#test/support/prometheus-text.ts';
import { type Service, startService } from '#test/support/service.ts';
import { cleanUp, newDir, start } from './host-process.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ dir: newDir(), env: { METRICS_PORT: '0' } });
});
afterAll(async () => {
  await service.stop();
  await cleanUp();
});

const textOf = async (url: string) => (await fetch(url)).text();
const scrape = async () => parseMetrics(await textOf(service.metricsUrl!));
const sampleOf = (samples: readonly Sample[], name: string, labels: Record<string, string> = {}) =>
  samples.find((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    ?.value;

describe("the operator's metrics", () => {
  it('show the process, queues, store and disk', async () => {
    const samples = await scrape();
    const positive = ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds', 'fleetwatch_store_bytes'];
    for (const name of [...positive, 'fleetwatch_disk_size_bytes', 'fleetwatch_disk_free_bytes'])
      expect(sampleOf(samples, name), name).toBeGreaterThan(0);
    expect(sampleOf(samples, 'fleetwatch_last_tick_timestamp_seconds')).toBeGreaterThan(Date.now() / 1000 - 120);
    expect(sampleOf(samples, 'fleetwatch_dead_letters', { queue: 'delivery' })).toBe(0);
    expect(sampleOf(samples, 'fleetwatch_late_slots_total')).toBe(0);
    expect(sampleOf(samples, 'fleetwatch_unread_changes', { consumer: 'notifier' })).toBeGreaterThanOrEqual(0);
  });

  it('are all in docs/operate/install.md', async () => {
    const page = readFileSync(new URL('../../../docs/operate/install.md', import.meta.url), 'utf8');
    const own = new Set((await scrape()).map(({ name }) => name).filter((name) => name.startsWith('fleetwatch_')));
    expect([...own].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('show messages that wait, and how long', async () => {
    const { queues, clock } = service.ports;
    const body = { tenant_id: 'acc_none', delivery_id: 'dlv_none' };
    await queues.send('delivery', [{ body, not_before: clock.now() + 600_000 }]);
    const samples = await scrape();
    expect(sampleOf(samples, 'fleetwatch_queue_messages', { queue: 'delivery', state: 'later' })).toBe(1);
    expect(sampleOf(samples, 'fleetwatch_queue_messages', { queue: 'delivery', state: 'due' })).toBe(0);
    expect(sampleOf(samples, 'fleetwatch_queue_oldest_due_message_age_seconds', { queue: 'delivery' })).toBe(0);
  });

  it('count probes, delivery attempts and requests by outcome, and name no tenant', async () => {
    const client = clientOf(service.url, service.adminKey);
    const word = 'canary';
    const slug = await newBlueprint(client, { slug: `${word}-kind`, name: word });
    const made = { slug: `${word}-one`, name: word, labels: { team: word } };
    const { id: entity_id } = got(await client.post(`/v1/blueprints/${slug}/entities`, made), 201);
    const probed = { check_type: 'tcp', config: { host: '127.77.0.1', port: 1 }, interval_seconds: 1, name: word };
    await newCheck(client, { ...probed, entity_id });
    const { id } = await newCheck(client, { failure_threshold: 1, name: word, entity_id });
    const channel = { channel_type: 'slack', config: { url: `http://127.77.0.1:1/${word}` } };
    got(await client.post(`/v1/checks/${id}/policy/channels`, channel), 201);
    await pushTo(client, id, false);
    expect((await client.get(`/v1/${word}`)).status).toBe(404);
    await eventually(async () => {
      const samples = await scrape();
      expect(sampleOf(samples, 'fleetwatch_probes_total', { outcome: 'failure' })).toBeGreaterThan(0);
      expect(sampleOf(samples, 'fleetwatch_http_requests_total', { outcome: '2xx' })).toBeGreaterThan(3);
      expect(sampleOf(samples, 'fleetwatch_http_requests_total', { outcome: '4xx' })).toBeGreaterThan(0);
      const attempts = samples.filter(({ name }) => name === 'fleetwatch_delivery_attempts_total');
      expect(attempts.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
      return true;
    });
    const text = await textOf(service.metricsUrl!);
    expect(text).not.toMatch(new RegExp(`${word}|127\\.77|\\b(?:acc|chk|ent|chn|key)_`));
  });

  it('are served only at GET /metrics, on the loopback address, and until the service stops', async () => {
    expect(new URL(service.metricsUrl!).hostname).toBe('127.0.0.1');
    expect((await fetch(new URL('/v1/health', service.metricsUrl))).status).toBe(404);
    expect((await fetch(service.metricsUrl!, { method: 'POST' })).status).toBe(404);
    const other = await startService({ env: { METRICS_PORT: '0' } });
    await other.stop();
    await expect(fetch(other.metricsUrl!)).rejects.toThrow();
    const without = await startService();
    expect(without.metricsUrl).toBeUndefined();
    await without.stop();
  });

  it('prevent the start with one sentence if their port is in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const refused = start({ DATA_DIR: newDir(), METRICS_PORT: String(port) });
    expect(await refused.exited).toEqual({ code: 1, signal: null });
    expect(refused.err()).toBe(
      `Port ${port} on 127.0.0.1 is in use. Choose another one, as in METRICS_PORT=9788 npm start.\n`,
    );
    holder.close();
  });

  it.each(['99999', '-1', '9.5', 'on'])('prevent the start with one sentence if their port is %s', (value) => {
    expect(() => readHostSettings({ METRICS_PORT: value })).toThrow('Settings are wrong. METRICS_PORT: must be');
  });
});
