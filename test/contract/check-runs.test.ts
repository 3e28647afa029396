import type { RequestListener } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority } from '#test/support/certificates.ts';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { dnsServer } from '#test/support/dns-server.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { closedPort, httpTarget, rawTarget } from '#test/support/socket-target.ts';
import { tlsTarget } from '#test/support/tls-server.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const read = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);
const resultsOf = async (id: string) => got(await client.get(`/v1/checks/${id}/results`), 200).results;
const run = async (id: string) => got(await client.post(`/v1/checks/${id}/run`), 201);

/** A check that was probed once, when it was made, and is not due again in this test. */
async function probedOnce(more: object) {
  const check = await newCheck(client, { check_type: 'http', interval_seconds: 86_400, ...more });
  await eventually(async () => (await read(check.id)).last_result);
  return check;
}

/** A target that answers with the status that it is told. */
async function target(onRequest?: RequestListener) {
  const says = { status: 200 };
  const server = await httpTarget((request, response) => {
    if (onRequest) onRequest(request, response);
    else response.writeHead(says.status).end();
  });
  return Object.assign(server, { says });
}

describe('a run by hand', () => {
  it('probes now, and answers the result that the check then has', async () => {
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

  it('is judged like any result: it counts, makes the transition, and ends it', async () => {
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
    const transitions = () => client.get(`/v1/checks/${id}/transitions`).then((answer) => got(answer, 200));
    expect((await transitions())[0]).toMatchObject({ check_to_state: 'down', error_message: down.error_message });
    shop.says.status = 200;
    expect(await run(id)).toMatchObject({ success: true, check_state: 'up' });
    expect((await transitions()).map((one: { check_to_state: string }) => one.check_to_state)).toEqual([
      'up',
      'down',
      'up',
    ]);
  });

  it('is no slot: history, sparkline and gaps count it nowhere', async () => {
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

  it('of every type asks the target itself', async () => {
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

  it('has the deadline of the check', async () => {
    await using shop = await target((request, response) => {
      if (shop.connections() === 1) response.end();
      else request.resume();
    });
    const { id } = await probedOnce({ target_url: shop.url, timeout_ms: 1_000 });
    // A process that stands still for a tenth of that says so, and judges nothing.
    const result = await eventually(async () => {
      const answer = await client.post(`/v1/checks/${id}/run`);
      return answer.status === 201 && answer.body;
    });
    expect(result).toMatchObject({ success: false, error_kind: 'timeout' });
    expect(result.error_message).toContain('within 1000 ms');
  });

  it('reaches no address that a probe may not reach', async () => {
    await using shop = await target((_, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
    });
    const { id } = await probedOnce({ target_url: shop.url });
    expect(await run(id)).toMatchObject({ success: false, error_kind: 'egress' });
  });

  it('shows no URL to who may run checks and not see secrets', async () => {
    await using shop = await target((_, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/?token=abc' }).end();
    });
    const { id } = await probedOnce({ target_url: shop.url });
    const responder = await keyOf(client, { scopes: ['respond'] });
    const { error_message } = got(await responder.post(`/v1/checks/${id}/run`), 201);
    expect(error_message).toMatch(/^redirected to \*{8}/);
  });

  it('is noted in the audit log, with its result', async () => {
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

describe('many runs by hand at once', () => {
  it('are all kept, each counts once, and one of them makes the transition', async () => {
    await using shop = await target();
    const { id } = await probedOnce({ target_url: shop.url, failure_threshold: 8 });
    shop.says.status = 500;
    const results = await Promise.all(Array.from({ length: 12 }, () => run(id)));
    expect(new Set(results.map((one) => one.id)).size).toBe(12);
    expect(await resultsOf(id)).toHaveLength(13);
    expect(await read(id)).toMatchObject({ state: 'down', consecutive_failures: 8 });
    expect(got(await client.get(`/v1/checks/${id}/transitions`), 200)).toHaveLength(2);
    expect(results.filter((one) => one.check_state === 'down')).toHaveLength(5);
  });

  it('beside the probes of the schedule lose none of these', async () => {
    await using shop = await target();
    const { id } = await newCheck(client, {
      check_type: 'http',
      interval_seconds: 1,
      target_url: shop.url,
      failure_threshold: 100,
    });
    await eventually(async () => (await read(id)).state === 'up');
    shop.says.status = 500;
    let byHand = 0;
    for (const until = Date.now() + 3_000; Date.now() < until; byHand++) await run(id);
    shop.says.status = 200;
    const kinds = async () => {
      const results = got(await client.get(`/v1/checks/${id}/results?limit=500`), 200).results;
      return results.map(({ kind }: { kind: string }) => kind);
    };
    await eventually(async () => (await read(id)).state === 'up' && (await read(id)).consecutive_failures === 0);
    expect((await kinds()).filter((kind: string) => kind === 'manual')).toHaveLength(byHand);
    expect((await kinds()).filter((kind: string) => kind === 'scheduled').length).toBeGreaterThanOrEqual(3);
    expect(got(await client.get(`/v1/checks/${id}/gaps`), 200)).toEqual([]);
  });
});

describe('a check that changes while it is run by hand', () => {
  /** Answers nothing but the first request, until it is told to. */
  async function slowTarget() {
    const waiting: (() => void)[] = [];
    let requests = 0;
    const server = await httpTarget((_request, response) => {
      if (++requests === 1) response.end();
      else waiting.push(() => response.writeHead(500).end());
    });
    return Object.assign(server, {
      waits: () => waiting.length > 0,
      answer: () => {
        for (const one of waiting.splice(0)) one();
      },
    });
  }

  it('is judged by its new settings alone: what was found with the old ones is kept', async () => {
    await using shop = await slowTarget();
    const { id } = await probedOnce({ target_url: shop.url, failure_threshold: 1, timeout_ms: 20_000 });
    const running = run(id);
    await eventually(shop.waits);
    await using other = await target();
    got(await client.put(`/v1/checks/${id}`, { target_url: other.url }), 200);
    shop.answer();
    expect(await running).toMatchObject({ kind: 'manual', success: false, check_state: 'up' });
    expect((await resultsOf(id)).filter((one: { kind: string }) => one.kind === 'manual')).toHaveLength(1);
    expect(await read(id)).toMatchObject({ state: 'up', consecutive_failures: 0 });
  });

  it('and is disabled, stays unknown', async () => {
    await using shop = await slowTarget();
    const { id } = await probedOnce({ target_url: shop.url, failure_threshold: 1, timeout_ms: 20_000 });
    const running = run(id);
    await eventually(shop.waits);
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    shop.answer();
    expect(await running).toMatchObject({ check_state: 'unknown' });
    expect(await read(id)).toMatchObject({ state: 'unknown', consecutive_failures: 0 });
  });

  it('and is deleted, is gone: nothing comes back', async () => {
    await using shop = await slowTarget();
    const { id } = await probedOnce({ target_url: shop.url, failure_threshold: 1, timeout_ms: 20_000 });
    const running = client.post(`/v1/checks/${id}/run`);
    await eventually(shop.waits);
    expect((await client.del(`/v1/checks/${id}`)).status).toBe(204);
    shop.answer();
    expect(await running).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await client.get(`/v1/checks/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('a check that cannot be run by hand', () => {
  it('is one that is pushed', async () => {
    const { id } = await newCheck(client);
    const answer = await client.post(`/v1/checks/${id}/run`);
    expect(answer).toMatchObject(failure(409, 'CONFLICT'));
    expect(answer.body.error).toBe(
      `Check ${id} is a push check: your agent posts its results, the service probes nothing.`,
    );
  });

  it('is one that is disabled', async () => {
    await using shop = await target();
    const { id } = await probedOnce({ target_url: shop.url });
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    const results = await resultsOf(id);
    const answer = await client.post(`/v1/checks/${id}/run`);
    expect(answer).toMatchObject(failure(409, 'CONFLICT'));
    expect(answer.body.error).toBe(`Check ${id} is disabled: enable it, or use POST /v1/checks/test.`);
    expect(await resultsOf(id)).toEqual(results);
  });

  it('is none, or that of another account', async () => {
    const { id } = await newCheck(await newTenant());
    for (const one of [id, 'chk_none'])
      expect(await client.post(`/v1/checks/${one}/run`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});
