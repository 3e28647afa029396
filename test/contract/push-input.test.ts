import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MINUTE = 60_000;
const DAY = 86_400_000;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

let client: Client;
let id: string;
beforeAll(async () => {
  client = await newTenant();
  id = (await newCheck(client)).id;
});

const post = (body: unknown, headers: Record<string, string> = {}) =>
  client.send('POST', `/v1/checks/${id}/results`, { body, headers });
const fine = { success: true, latency_ms: 12 };

describe('POST /v1/checks/{id}/results', () => {
  it('returns the record of the result', async () => {
    const before = Date.now();
    const result = got(await post(fine), 201);
    expect(result).toEqual({
      id: expect.stringMatching(/^res_[0-9a-z]+$/),
      check_id: id,
      kind: 'push',
      status_code: 0,
      latency_ms: 12,
      outcome: 'ok',
      success: true,
      error_message: '',
      error_kind: null,
      warning_message: '',
      checked_at: expect.stringMatching(TIME),
    });
    expect(Date.parse(result.checked_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(result.checked_at)).toBeLessThanOrEqual(Date.now());
  });

  it('stores all given properties and lists the result', async () => {
    const checked_at = inMs(-1);
    const body = { success: false, latency_ms: 0, error_message: 'disk 97 % full 💾', status_code: 507, checked_at };
    const result = got(await post(body), 201);
    expect(result).toMatchObject({ ...body, error_kind: 'reported' });
    const { results } = got(await client.get(`/v1/checks/${id}/results?limit=5`), 200);
    expect(results).toContainEqual(result);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'success'],
    ['an empty object', {}, 'success'],
    ['no success', { latency_ms: 1 }, 'success'],
    ['success as text', { success: 'true', latency_ms: 1 }, 'success'],
    ['success as number', { success: 1, latency_ms: 1 }, 'success'],
    ['success null', { success: null, latency_ms: 1 }, 'success'],
    ['no latency', { success: true }, 'latency_ms'],
    ['a negative latency', { success: true, latency_ms: -1 }, 'latency_ms'],
    ['half a millisecond', { success: true, latency_ms: 0.5 }, 'latency_ms'],
    ['a latency as text', { success: true, latency_ms: '12' }, 'latency_ms'],
    ['a latency of over a day', { success: true, latency_ms: 86_400_001 }, 'latency_ms'],
    ['a latency beyond the range of numbers', '{"success":true,"latency_ms":1e999}', 'latency_ms'],
    ['an error that is not text', { ...fine, error_message: {} }, 'error_message'],
    ['a status code as text', { ...fine, status_code: '200' }, 'status_code'],
    ['a negative status code', { ...fine, status_code: -1 }, 'status_code'],
    ['a time as number', { ...fine, checked_at: 1_700_000_000 }, 'checked_at'],
    ['a time as words', { ...fine, checked_at: 'yesterday' }, 'checked_at'],
    ['an empty time', { ...fine, checked_at: '' }, 'checked_at'],
    ['a day that does not exist', { ...fine, checked_at: '2026-02-30T00:00:00Z' }, 'checked_at'],
    ['no JSON', 'success=true', ''],
    ['a list', [fine], ''],
  ])('rejects %s', async (_name, body, path) => {
    const response = await post(body);
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(response.body.details.map((detail: { path: string }) => detail.path)).toContain(path);
  });

  it.each([
    ['more than a minute ahead', MINUTE + 5000],
    ['a day ahead', DAY],
    ['older than the retention', -30 * DAY - MINUTE],
    ['from the beginning of time', -Date.now()],
  ])('rejects a time %s', async (_name, ms) => {
    expect(await post({ ...fine, checked_at: inMs(ms) })).toMatchObject(failure(400, 'VALIDATION_ERROR', 'checked_at'));
  });

  it.each([
    ['just under a minute ahead', MINUTE - 5000],
    ['just inside the retention', -30 * DAY + MINUTE],
  ])('accepts a time %s and returns it as given', async (_name, ms) => {
    const checked_at = inMs(ms);
    expect(got(await post({ ...fine, checked_at }), 201).checked_at).toBe(checked_at);
  });

  it.each([
    ['an offset', (iso: string) => `${iso.slice(0, 23)}+00:00`],
    ['no zone, for UTC', (iso: string) => iso.slice(0, 23)],
    ['a comma', (iso: string) => iso.replace('.', ',')],
    ['microseconds', (iso: string) => iso.replace('Z', '456Z')],
  ])('accepts a time with %s', async (_name, form) => {
    const iso = inMs(-1000);
    expect(got(await post({ ...fine, checked_at: form(iso) }), 201).checked_at).toBe(iso);
  });

  it('truncates a long error between two characters', async () => {
    const { error_message } = got(await post({ success: false, latency_ms: 1, error_message: '💾'.repeat(1500) }), 201);
    expect(error_message).toBe('💾'.repeat(1000));
  });

  it('rejects unknown properties', async () => {
    const response = await post({ ...fine, host: 'db-1', error: 'no disk' });
    expect(response.body.details).toEqual([
      { path: 'host', message: '`host` is not known' },
      { path: 'error', message: '`error` is not known; did you mean `error_message`?' },
    ]);
  });
});

describe('POST /v1/checks/{id}/heartbeat', () => {
  it.each<[string, unknown, Record<string, string>]>([
    ['no body', undefined, {}],
    ['a failure as body', { success: false, latency_ms: 'x' }, {}],
    ['no JSON', '{{{{', {}],
    ['a form', 'a=1&b=2', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['bytes that are not text', new Uint8Array([0, 0xff, 0xfe, 0x80, 0]), { 'content-type': 'image/png' }],
    ['2 MB', 'x'.repeat(2 * 1024 * 1024), { 'content-type': 'text/plain' }],
  ])('records a success: %s', async (_name, body, headers) => {
    const response = await client.send('POST', `/v1/checks/${id}/heartbeat`, { body, headers });
    expect(got(response, 201)).toMatchObject({
      check_id: id,
      success: true,
      latency_ms: 0,
      status_code: 0,
      error_message: '',
      error_kind: null,
    });
  });
});

describe('a probed check', () => {
  let pulled: string;
  beforeAll(async () => {
    const http = { check_type: 'http', target_url: 'http://127.77.0.1:9/', enabled: false };
    pulled = (await newCheck(client, http)).id;
  });

  it.each<[string, unknown]>([
    ['a good result', fine],
    ['a result that is wrong', { success: 'maybe' }],
    ['no JSON at all', '{{{'],
    ['300 KB', 'x'.repeat(300 * 1024)],
  ])('accepts no results, whatever the body: %s', async (_name, body) => {
    expect(await client.post(`/v1/checks/${pulled}/results`, body)).toMatchObject(failure(409, 'CONFLICT'));
  });

  it('accepts no heartbeats', async () => {
    expect(await client.post(`/v1/checks/${pulled}/heartbeat`)).toMatchObject(failure(409, 'CONFLICT'));
  });
});
