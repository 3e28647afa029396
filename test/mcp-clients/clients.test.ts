import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isNightly } from '#test/support/nightly.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { type Call, prepare, type Seen, withNewSubscriber } from './fleet.ts';
import { findPython, walkPython } from './python.ts';
import { type Address, mcpRemote, transportsV1, walkV1, walkV2 } from './typescript.ts';

/**
 * The real clients of the last two years on the running service: all of them list and call every tool. Only the nightly
 * run includes all; otherwise, only the newest client runs.
 */
let service: RealService;
let hook: WebhookReceiver;
let calls: Call[];
let at: Address;
beforeAll(async () => {
  hook = await startReceiver({ host: '127.77.0.1' });
  service = await startRealService();
  calls = await prepare(service.client, hook.url);
  at = { url: `${service.url}/v1/mcp`, key: service.client.key };
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await hook?.close();
});

beforeEach(async () => {
  calls = await withNewSubscriber(service.client, calls);
});

const [python1, python2] = isNightly ? [findPython(1), findPython(2)] : [];

type Walk = [name: string, version: string, walk: () => Promise<Seen>, isHere: boolean];

const NEWEST: Walk = ['TypeScript client 2.x, auto', '2026-07-28', () => walkV2(at, 'http', 'auto', calls), true];

const OTHERS: Walk[] = [
  ['TypeScript SDK 1.x over SSE', '2024-11-05', () => walkV1(transportsV1.sse(at), calls), true],
  ['TypeScript SDK 1.x over Streamable HTTP', '2025-11-25', () => walkV1(transportsV1.http(at), calls), true],
  ['TypeScript client 2.x over SSE', '2024-11-05', () => walkV2(at, 'sse', 'legacy', calls), true],
  ['TypeScript client 2.x, legacy', '2025-11-25', () => walkV2(at, 'http', 'legacy', calls), true],
  ['TypeScript client 2.x, pinned', '2026-07-28', () => walkV2(at, 'http', { pin: '2026-07-28' }, calls), true],
  ['mcp-remote over HTTP', '', () => walkV1(mcpRemote(at, ['--transport', 'http-only']), calls), true],
  ['mcp-remote over SSE', '', () => walkV1(mcpRemote(at, ['--transport', 'sse-only']), calls), true],
  ['mcp-remote with its defaults', '', () => walkV1(mcpRemote(at, []), calls), true],
  ['Python mcp 1.x over SSE', '2024-11-05', () => walkPython(1, at, { transport: 'sse' }, calls), !!python1],
  [
    'Python mcp 1.x over Streamable HTTP',
    '2025-11-25',
    () => walkPython(1, at, { transport: 'http' }, calls),
    !!python1,
  ],
  [
    'Python mcp 2.x over SSE',
    '2024-11-05',
    () => walkPython(2, at, { transport: 'sse', options: { mode: 'legacy' } }, calls),
    !!python2,
  ],
  [
    'Python mcp 2.x, legacy',
    '2025-11-25',
    () => walkPython(2, at, { transport: 'http', options: { mode: 'legacy' } }, calls),
    !!python2,
  ],
  ['Python mcp 2.x with its defaults', '2026-07-28', () => walkPython(2, at, { transport: 'http' }, calls), !!python2],
];

describe.each<Walk>(isNightly ? [NEWEST, ...OTHERS] : [NEWEST])('%s', (_name, version, walk, isHere) => {
  it.skipIf(!isHere)('lists and calls every tool', { timeout: 60_000 }, async () => {
    const runs = hook.received.length;
    const seen = await walk();
    if (version !== '') expect(seen.version).toBe(version);
    expect(seen.tools).toEqual(calls.map(({ name }) => name).sort());
    for (const [i, { isError, structuredContent, content }] of seen.results.entries()) {
      expect(isError ?? false, calls[i]!.name).toBe(false);
      expect(content).toMatchObject([{ type: 'text', text: JSON.stringify(structuredContent) }]);
    }
    const response = (tool: string) => seen.results[calls.findIndex(({ name }) => name === tool)]?.structuredContent;
    expect(response('get_status_summary')).toMatchObject({ up: 1 });
    expect(response('list_entities')).toMatchObject({ entities: [{ state: 'up' }, { state: 'down' }] });
    expect(response('get_entity')).toMatchObject({ state: 'up', checks: expect.any(Array) });
    expect(response('get_check_results')).toMatchObject({ results: [{ success: true }] });
    expect(response('get_history')).toMatchObject({ total: { runs: 1, failures: 0, uptime: 1 } });
    expect(response('get_execution')).toMatchObject({ trigger: 'manual', dispatch_status: 'success', logs: [] });
    expect(response('list_subscribers')).toMatchObject({ subscribers: expect.any(Array) });
    expect(response('add_subscriber')).toMatchObject({ channel_type: 'slack', component_ids: [] });
    expect(response('list_changes')).toMatchObject({ changes: [{ action: 'check.create', via: 'api' }] });
    expect(response('create_check')).toMatchObject({ check_type: 'http', interval_seconds: 60 });
    expect(response('test_check')).toMatchObject({
      success: false,
      status_code: 200,
      error_kind: 'status',
      response: { body_bytes: 0 },
    });
    expect(response('run_check')).toMatchObject({ kind: 'manual', success: true, check_state: 'up' });
    expect(response('restart_service')).toMatchObject({ dispatch_status: 'success' });
    expect(hook.received.slice(runs).map(({ path }) => path)).toContain('/restart/web%20shop');
    await service.client.del(`/v1/checks/${(response('create_check') as { id: string }).id}`);
    const { entity } = response('create_monitor') as { entity: { blueprint_slug: string; slug: string } };
    await service.client.del(`/v1/blueprints/${entity.blueprint_slug}/entities/${entity.slug}`);
  });
});
