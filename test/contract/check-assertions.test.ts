import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { httpTarget } from '#test/support/socket-target.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const json = { source: 'json', property: '$.status', operator: 'equals', value: 'ok' };
const slow = { source: 'latency_ms', operator: 'at_least', value: 60_000, severity: 'warn' };
const http = { check_type: 'http' };

describe('assertions of a check', () => {
  it('are stored, replaced as a whole by PUT, and removed by null', async () => {
    const check = await newCheck(client, {
      ...http,
      target_url: 'http://127.77.0.1:9/',
      enabled: false,
      config: { verify_tls: false, assertions: [json, slow] },
    });
    const whole = [{ ...json, severity: 'fail' }, slow];
    expect(check.config).toEqual({ verify_tls: false, assertions: whole });
    const put = async (config: object) => got(await client.put(`/v1/checks/${check.id}`, { config }), 200).config;
    expect(await put({ assertions: [slow] })).toEqual({ verify_tls: false, assertions: [slow] });
    expect(await put({ verify_tls: null })).toEqual({ assertions: [slow] });
    expect(await put({ assertions: null })).toEqual({});
  });

  it('fail a check or add a warning', async () => {
    let body = '{"status": "ok"}';
    await using shop = await httpTarget((_req, res) => res.end(body));
    const check = await newCheck(client, {
      ...http,
      target_url: shop.url,
      interval_seconds: 86_400,
      failure_threshold: 1,
      config: { assertions: [json, slow] },
    });
    const last = async () => got(await client.get(`/v1/checks/${check.id}`), 200).last_result;
    const found = await eventually(last);
    expect(found).toMatchObject({
      success: true,
      outcome: 'warn',
      error_message: '',
      warning_message: `expected latency_ms to be at least 60000, got ${found.latency_ms}`,
    });
    body = '{"status": "degraded"}';
    expect(got(await client.post(`/v1/checks/${check.id}/run`), 201)).toMatchObject({
      check_state: 'down',
      outcome: 'fail',
      error_kind: 'body',
      error_message: 'expected json $.status to equal "ok", got "degraded"',
    });
    got(await client.del(`/v1/checks/${check.id}`), 204);
  });

  it('are evaluated in a settings test, each with the observed value', async () => {
    await using shop = await httpTarget((_req, res) => res.end('{"status": "degraded"}'));
    const settings = { ...http, target_url: shop.url, config: { assertions: [json, slow] } };
    const found = got(await client.post('/v1/checks/test', settings), 200);
    expect(found).toMatchObject({
      outcome: 'fail',
      error_message: 'expected json $.status to equal "ok", got "degraded"',
      warning_message: `expected latency_ms to be at least 60000, got ${found.latency_ms}`,
      assertions: [
        { ...json, severity: 'fail', passed: false, actual: '"degraded"' },
        { ...slow, passed: false, actual: `${found.latency_ms}` },
      ],
    });
    expect(got(await client.post('/v1/checks/test', { ...http, target_url: shop.url }), 200).assertions).toEqual([]);
  });
});

describe('invalid assertions', () => {
  const matches = (value: string) => ({ source: 'body', operator: 'matches', value });

  it.each<[string, object, string, RegExp]>([
    ['an object instead of a list', { config: { assertions: json } }, 'config.assertions', /a list/],
    [
      'an unknown source',
      { config: { assertions: [{ ...json, source: 'jsn' }] } },
      'config.assertions.0.source',
      /http check has/,
    ],
    [
      'an incomplete path',
      { config: { assertions: [slow, { ...json, property: '$.a[' }] } },
      'config.assertions.1.property',
      /path to one/,
    ],
    ['look-ahead', { config: { assertions: [matches('(?=a)')] } }, 'config.assertions.0.value', /^uses look-ahead/],
    [
      'a back reference',
      { config: { assertions: [matches('(a)\\1')] } },
      'config.assertions.0.value',
      /^uses back references/,
    ],
    [
      'nested repetitions',
      { config: { assertions: [matches('(a{1000}){1000}')] } },
      'config.assertions.0.value',
      /RE2|too large|repeats a part/,
    ],
    [
      'an expression of more than 80 instructions',
      { config: { assertions: [matches('[a-z]{99}')] } },
      'config.assertions.0.value',
      /too large/,
    ],
    ['body_not_contains', { body_not_contains: 'x' }, 'body_not_contains', /"operator": "not_contains"/],
    ['several statuses', { expected_status: [200, 301] }, 'expected_status', /"one_of"/],
  ])('are rejected with a remedy: %s', async (_what, settings, path, message) => {
    const { id } = await newEntity(client);
    const body = { ...http, target_url: 'http://127.77.0.1:9/', ...settings };
    for (const response of [
      await client.post('/v1/checks', { ...body, entity_id: id }),
      await client.post('/v1/checks/test', body),
    ]) {
      expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
      expect(response.body.details[0].message).toMatch(message);
    }
  });

  it('are rejected by PUT as well', async () => {
    const check = await newCheck(client, { ...http, target_url: 'http://127.77.0.1:9/', enabled: false });
    for (const [body, path] of [
      [{ config: { assertions: [matches('(?!a)')] } }, 'config.assertions.0.value'],
      [{ method: 'HEAD', config: { assertions: [json] } }, 'config.assertions.0.source'],
      [{ max_latency_ms: 5 }, 'max_latency_ms'],
    ] as const) {
      expect(await client.put(`/v1/checks/${check.id}`, body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    }
  });
});
