import type { RequestListener } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority } from '#test/support/certificates.ts';
import { type Client, failure, keyOf, newTenant, newTenantOf } from '#test/support/client.ts';
import { dnsServer } from '#test/support/dns-server.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { startService } from '#test/support/service.ts';
import { closedPort, httpTarget, rawTarget } from '#test/support/socket-target.ts';
import { tlsTarget } from '#test/support/tls-server.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const read = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);
const resultsOf = async (id: string) => got(await client.get(`/v1/checks/${id}/results`), 200).results;
const run = async (id: string) => got(await client.post(`/v1/checks/${id}/run`), 201);

/** Creates a check that was probed once at its creation and is not due again in this test. */
async function probedOnce(more: object) {
  const check = await newCheck(client, { check_type: 'http', interval_seconds: 86_400, ...more });
  await eventually(async () => (await read(check.id)).last_result);
  return check;
}

/** Starts a target with a settable status. */
async function target(onRequest?: RequestListener) {
  const says = { status: 200 };
  const server = await httpTarget((request, response) => {
    if (onRequest) onRequest(request, response);
    else response.writeHead(says.status).end();
  });
  return Object.assign(server, { says });
}

describe('a manual run', () => {
  it('probes immediately and returns the result', async () => {
    await using shop = await target();
    const { id } = await probedOnce({ target_url: shop.url });
    const probes = shop.connections();
    const result = await run(id);
    expect(shop.connections()).toBe(probes + 1);
    expect(result).toMatchObject({ check_id: id, kind: 'manual', success: true, status_code: 200, check_state: 'up' });
    const { check_state: _, ...record } = result;
    const [newest, first] = await resultsOf(id);
    expect(newest).toEqual(record);
    expect(first).toMatchObject({ kind: 'scheduled' });
    expect((await read(id)).last_result).toEqual(record);
    const [inList] = got(await client.get('/v1/checks?last_result=true'), 200).filter(
      (one: { id: string }) => one.id === id,
    );
    expect(inList.last_result).toEqual(record);
  });

  it('counts like any result: it takes the check down and up again', async () => {
    await using shop = await target();
    const { id } = await probedOnce({ target_url: shop.url, failure_threshold: 2 });
    shop.says.status = 503;
    expect(await run(id)).toMatchObject({ success: false, error_kind: 'status', check_state: 'up' });
    expect(await read(id)).toMatchObject({ state: 'up', consecutive_failures: 1 });
    const down = await run(id);
    expect(down).toMatchObject({
      error_message: 'expected status 200, got 503 (Service Unavailable)',
      check_state: 'down',
    });
    const transitions = () => client.get(`/v1/checks/${id}/transitions`).then((response) => got(response, 200));
    expect((await transitions())[0]).toMatchObject({ check_to_state: 'down', error_message: down.error_message });
    shop.says.status = 200;
    expect(await run(id)).toMatchObject({ success: true, check_state: 'up' });
    expect((await transitions()).map((one: { check_to_state: string }) => one.check_to_state)).toEqual([
      'up',
      'down',
      'up',
    ]);
  });

  it('is not a slot: history, sparkline and gaps ignore it', async () => {
    await using shop = await target();
    const { id } = await probedOnce({ target_url: shop.url });
    const { total } = got(await client.get(`/v1/checks/${id}/history`), 200);
    for (let i = 0; i < 3; i++) await run(id);
    const after = got(await client.get(`/v1/checks/${id}/history`), 200).total;
    expect([after.runs, after.failures, after.gaps]).toEqual([total.runs, 0, total.gaps]);
    const { points } = got(await client.get(`/v1/checks/${id}/sparkline?hours=48`), 200);
    expect(points.reduce((sum: number, one: { successes: number }) => sum + one.successes, 0)).toBe(total.runs);
    expect(await resultsOf(id)).toHaveLength(4);
  });

  it('probes the target of every probe type', async () => {
    await using tcp = await rawTarget((socket) => socket.end());
    await using tls = await tlsTarget(await (await makeAuthority()).issue({ names: ['127.77.0.1'] }));
    await using dns = await dnsServer(() => ({ records: [{ type: 'A', text: '192.0.2.7' }] }));
    const { host, port } = tcp;
    const wanted = { hostname: 'shop.example', record_type: 'A', resolver: dns.address };
    const checks = [
      await probedOnce({ check_type: 'tcp', config: { host, port } }),
      await probedOnce({ check_type: 'tcp', config: { host, port: await closedPort() } }),
      await probedOnce({ check_type: 'tls', config: { host, port: tls.port } }),
      await probedOnce({ check_type: 'dns', config: wanted }),
      await probedOnce({ check_type: 'dns', config: { ...wanted, expected_value: '192.0.2.8' } }),
    ];
    const found = [];
    for (const { id } of checks) found.push(await run(id));
    expect(found.map(({ success, error_kind }) => [success, error_kind])).toEqual([
      [true, null],
      [false, 'connect'],
      [false, 'tls'],
      [true, null],
      [false, 'dns'],
    ]);
    expect((await read(checks[2].id)).last_result).toMatchObject({ kind: 'manual', days_left: 89 });
  });

  it('uses the timeout of the check', async () => {
    await using shop = await target((request, response) => {
      if (shop.connections() === 1) response.end();
      else request.resume();
    });
    const { id } = await probedOnce({ target_url: shop.url, timeout_ms: 1_000 });
    // If the process stalls for a tenth of the timeout, the API responds with an error and records no failure.
    const result = await eventually(async () => {
      const response = await client.post(`/v1/checks/${id}/run`);
      return response.status === 201 && response.body;
    });
    expect(result).toMatchObject({ success: false, error_kind: 'timeout' });
    expect(result.error_message).toContain('within 1000 ms');
  });

  it('is subject to the same egress rules as a probe', async () => {
    await using shop = await target((_, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
    });
    const { id } = await probedOnce({ target_url: shop.url });
    expect(await run(id)).toMatchObject({ success: false, error_kind: 'egress' });
  });

  it('hides the redirect URL from a key that can run checks but not see secrets', async () => {
    await using shop = await target((_, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/?token=abc' }).end();
    });
    const { id } = await probedOnce({ target_url: shop.url });
    const responder = await keyOf(client, { scopes: ['respond'] });
    const { error_message } = got(await responder.post(`/v1/checks/${id}/run`), 201);
    expect(error_message).toMatch(/^redirected to \*{8}/);
  });

  it('is in the audit log, with its result', async () => {
    await using shop = await target();
    const { id } = await probedOnce({ target_url: shop.url, name: 'home page' });
    const result = await run(id);
    const [entry] = got(await client.get(`/v1/audit?target=${id}&action=check.run`), 200);
    expect(entry).toMatchObject({
      action: 'check.run',
      target: { id, name: 'home page' },
      changes: [{ path: 'result_id', from: null, to: result.id }],
    });
    expect(entry.summary).toContain('ran check "home page"');
  });
});

describe('a rejected manual run', () => {
  it('targets a push check', async () => {
    const { id } = await newCheck(client);
    const response = await client.post(`/v1/checks/${id}/run`);
    expect(response).toMatchObject(failure(409, 'CONFLICT'));
    expect(response.body.error).toBe(
      `Check ${id} is a push check: a job or program posts its results, and the service does not probe it.`,
    );
  });

  it('targets a disabled check', async () => {
    await using shop = await target();
    const { id } = await probedOnce({ target_url: shop.url });
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    const results = await resultsOf(id);
    const response = await client.post(`/v1/checks/${id}/run`);
    expect(response).toMatchObject(failure(409, 'CONFLICT'));
    expect(response.body.error).toBe(`Check ${id} is disabled: enable it, or use POST /v1/checks/test.`);
    expect(await resultsOf(id)).toEqual(results);
  });

  it('targets an unknown check, or one of another account', async () => {
    const { id } = await newCheck(await newTenant());
    for (const one of [id, 'chk_none'])
      expect(await client.post(`/v1/checks/${one}/run`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

it('counts a manual run as twenty requests, and a settings test too', async () => {
  await using service = await startRated('write=2/40');
  const rated = await newTenantOf(service);
  const left = async (path: string) => {
    const { status, headers } = await rated.post(path, { check_type: 'push' });
    return [status, headers.get('ratelimit-policy'), /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]];
  };
  expect(await left('/v1/checks/test')).toEqual([400, '"write";q=40;w=20', '20']);
  expect(await left('/v1/checks/chk_none/run')).toEqual([404, '"write";q=40;w=20', expect.stringMatching(/^[01]$/)]);
  expect((await left('/v1/checks/test'))[0]).toBe(429);
});

/** Starts a service with the given rate limits. */
async function startRated(RATE_LIMITS: string) {
  const service = await startService({ env: { RATE_LIMITS } });
  return Object.assign(service, { [Symbol.asyncDispose]: async () => void (await service.stop()) });
}
