import { beforeAll, describe, expect, it } from 'vitest';
import type { NewAccount } from '#lib/access/account.ts';
import { createAccount } from '#lib/access/change-account.ts';
import { type Client, clientOf, failure } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { pushTo } from '#test/support/failing-check.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';
import { type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  return async () => void (await service.stop());
});

/** Creates an account with the given limits. @returns a client with the key of its admin */
async function tenant(limits: Partial<NewAccount>): Promise<Client> {
  const { key } = await createAccount(
    service,
    { email: 'ann@example.com', name: 'Ann', ...limits },
    { sharedEmail: true },
  );
  return clientOf(service.url, key.key);
}

const pull = { check_type: 'http', target_url: 'http://127.77.0.9:1/', interval_seconds: 10 };
const exceeded = failure(409, 'LIMIT_EXCEEDED');

describe('plan limits', () => {
  it('are shown in the account, with their defaults', async () => {
    expect((await (await tenant({})).get('/v1/me')).body).toMatchObject({
      check_limit: 50_000,
      checks_per_minute_limit: 60_000,
      expressions_per_minute_limit: 12_000,
      alerts_per_minute_limit: 600,
      relation_limit: 10_000,
      key_limit_per_user: 100,
      user_limit: 500,
      invitation_limit: 100,
      retention_days: 30,
      rollup_days: 400,
    });
  });
});

describe('alerts per minute', () => {
  const receiver = receiving();

  it('are combined beyond the limit, in messages that state their number, and none is lost', async () => {
    const client = await tenant({ alerts_per_minute_limit: 60, egress: 'any' });
    const channel = { name: 'All', channel_type: 'slack', config: { url: `${receiver().url}/all` } };
    got(await client.post('/v1/notify/channels', channel), 201);
    const checks: string[] = [];
    for (let n = 0; n < 15; n++) checks.push((await newCheck(client, { failure_threshold: 1 })).id);
    for (const id of checks) await pushTo(client, id, false);
    const log = await eventually(async () => {
      const all: { status: string; combined_in: string | null }[] = got(await client.get('/v1/notify/logs'), 200);
      return all.length === checks.length && all.every(({ status }) => status === 'sent') && all;
    }, 15_000);
    const messages = receiver().received.filter(({ path }) => path === '/all');
    expect(messages.length).toBeLessThan(checks.length);
    for (const id of checks) expect(messages.some(({ body }) => body.includes(id))).toBe(true);
    for (const [sender, all] of Map.groupBy(log, ({ combined_in }) => combined_in)) {
      if (sender === null) continue;
      const message = messages.find(({ headers }) => headers['x-service-delivery'] === sender);
      expect(JSON.parse(message!.body).text).toContain(`${all.length} alerts: ${all.length} down`);
    }
  });
});

describe('rollup_days', () => {
  const DAY = 86_400_000;
  const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString();

  it.each([
    [{ rollup_days: 30 }, 'day', 30],
    [{ rollup_days: 30 }, 'hour', 30],
    [{}, 'day', 400],
    [{ rollup_days: 800 }, 'month', 800],
    [{ rollup_days: 800 }, 'hour', 90],
  ])('with %j and bucket=%s covers %i days', async (limits, bucket, days) => {
    const client = await tenant(limits);
    const { id } = await newCheck(client);
    const history = (from: number, to: number) =>
      client.get(`/v1/checks/${id}/history?bucket=${bucket}&from=${ago(from)}&to=${ago(to)}`);
    const whole = got(await history(1000, days - 10), 200);
    const kept = (Date.now() - Date.parse(whole.from)) / DAY;
    expect(kept).toBeGreaterThan(days - 1);
    expect(kept).toBeLessThanOrEqual(days + 0.01);
    const before = await history(1000, days + 32);
    expect(before).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(before.body.error).toContain(`bucket=${bucket} goes back ${days} days`);
  });
});

describe('checks per minute', () => {
  it('are counted over all entities and rejected beyond the limit, with a remedy', async () => {
    const client = await tenant({ checks_per_minute_limit: 12 });
    await newCheck(client, pull);
    const second = await newCheck(client, pull);
    const { id: entity_id } = await newEntity(client);
    const third = await client.post('/v1/checks', { ...pull, entity_id });
    expect(third).toMatchObject(exceeded);
    expect(third.body.error).toBe(
      'The checks of this account would run 18 times per minute; the limit is 12 (checks_per_minute_limit). Give ' +
        'checks a longer interval, disable some, or ask the operator for more.',
    );
    got(await client.del(`/v1/checks/${second.id}`), 204);
    got(await client.post('/v1/checks', { ...pull, entity_id }), 201);
  });

  it('are rejected beyond the limit of expressions evaluated per minute, with a remedy', async () => {
    const client = await tenant({ expressions_per_minute_limit: 12 });
    const matches = (value: string) => ({ source: 'body', operator: 'matches', value });
    const config = { assertions: [matches('ok'), { ...matches('error'), operator: 'not_matches' }] };
    const { id } = await newCheck(client, { ...pull, config });
    expect(got(await client.get('/v1/me'), 200).use.expressions_per_minute).toBe(12);
    const { id: entity_id } = await newEntity(client);
    const second = await client.post('/v1/checks', { ...pull, entity_id, config });
    expect(second).toMatchObject(exceeded);
    expect(second.body.error).toBe(
      'The checks of this account would evaluate 24 expressions per minute; the limit is 12 ' +
        '(expressions_per_minute_limit). Use fewer expressions or a longer interval, or ask the operator for more.',
    );
    got(await client.post('/v1/checks', { ...pull, entity_id }), 201);
    expect(await client.put(`/v1/checks/${id}`, { interval_seconds: 9 })).toMatchObject(exceeded);
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    expect(got(await client.get('/v1/me'), 200).use.expressions_per_minute).toBe(0);
  });

  it('count only enabled, probed checks', async () => {
    const client = await tenant({ checks_per_minute_limit: 6 });
    await newCheck(client);
    const resting = await newCheck(client, { ...pull, enabled: false });
    const running = await newCheck(client, pull);
    expect(await client.put(`/v1/checks/${resting.id}`, { enabled: true })).toMatchObject(exceeded);
    got(await client.put(`/v1/checks/${running.id}`, { enabled: false }), 200);
    got(await client.put(`/v1/checks/${resting.id}`, { enabled: true }), 200);
  });

  it('follow a change of the interval, and can always decrease', async () => {
    const client = await tenant({ checks_per_minute_limit: 6 });
    const { id } = await newCheck(client, pull);
    expect(await client.put(`/v1/checks/${id}`, { interval_seconds: 9 })).toMatchObject(exceeded);
    got(await client.put(`/v1/checks/${id}`, { interval_seconds: 20 }), 200);
    await newCheck(client, { ...pull, interval_seconds: 20 });
    expect(await client.put(`/v1/checks/${id}`, { interval_seconds: 19 })).toMatchObject(exceeded);
    got(await client.put(`/v1/checks/${id}`, { name: 'renamed', interval_seconds: 20 }), 200);
  });

  it('are released with the entity', async () => {
    const client = await tenant({ checks_per_minute_limit: 30, check_limit: 5 });
    const entity = await newEntity(client);
    for (let i = 0; i < 5; i++) await newCheck(client, { ...pull, entity_id: entity.id });
    expect(await client.post('/v1/checks', { ...pull, entity_id: entity.id })).toMatchObject(exceeded);
    got(await client.del(`/v1/blueprints/service/entities/${entity.slug}`), 204);
    for (let i = 0; i < 5; i++) await newCheck(client, pull);
    const { id: entity_id } = await newEntity(client);
    expect(await client.post('/v1/checks', { check_type: 'push', entity_id })).toMatchObject(exceeded);
  });

  it('are counted exactly during concurrent creations, changes and deletions', async () => {
    const client = await tenant({ checks_per_minute_limit: 60 });
    const entities = await Promise.all(Array.from({ length: 6 }, () => newEntity(client)));
    const make = (i: number) => client.post('/v1/checks', { ...pull, entity_id: entities[i % 6]!.id });
    const made = (await Promise.all(Array.from({ length: 30 }, (_, i) => make(i)))).filter(
      ({ status }) => status === 201,
    );
    expect(made).toHaveLength(10);
    const ids = made.map(({ body }) => body.id);
    await Promise.all([
      ...ids.slice(0, 3).map((id) => client.del(`/v1/checks/${id}`)),
      ...ids.slice(0, 3).map((id) => client.del(`/v1/checks/${id}`)),
      ...ids.slice(3, 6).map((id) => client.put(`/v1/checks/${id}`, { enabled: false })),
      ...ids.slice(3, 6).map((id) => client.put(`/v1/checks/${id}`, { interval_seconds: 20 })),
    ]);
    // Four running checks are left.
    const again = (await Promise.all(Array.from({ length: 30 }, (_, i) => make(i)))).map(({ status }) => status);
    expect(again.filter((status) => status === 201)).toHaveLength(6);
  });
});

describe('keys of a user', () => {
  it('are limited exactly, and a deletion allows one more', async () => {
    const client = await tenant({ key_limit_per_user: 5 });
    const make = () => client.post('/v1/auth/keys', { label: 'One more' });
    const made = await Promise.all(Array.from({ length: 20 }, make));
    const issued = made.filter(({ status }) => status === 201);
    // The key of the admin is the fifth.
    expect(issued).toHaveLength(4);
    expect(made.find(({ status }) => status !== 201)).toMatchObject(exceeded);
    const [{ id }, other] = issued.map(({ body }) => body);
    const deleted = await Promise.all([1, 2, 3].map(() => client.del(`/v1/auth/keys/${id}`)));
    expect(deleted.map(({ status }) => status)).toContain(204);
    got(await make(), 201);
    expect(await make()).toMatchObject(exceeded);
    expect((await clientOf(service.url, other.key).get('/v1/me')).status).toBe(200);
  });
});

describe('the team', () => {
  const invite = (client: Client, i: number) =>
    client.post('/v1/settings/users/invite', { email: `p${i}@example.com`, role: 'member' });

  it('has a limit of pending invitations, and a pending one can be sent again', async () => {
    const client = await tenant({ invitation_limit: 3 });
    const sent = await Promise.all(Array.from({ length: 10 }, (_, i) => invite(client, i)));
    const invited = sent.filter(({ status }) => status === 201);
    expect(invited).toHaveLength(3);
    const known = Number(/\d+/.exec(invited[0]!.body.email)![0]);
    got(await invite(client, known), 201);
    const refused = await invite(client, 99);
    expect(refused).toMatchObject(exceeded);
    expect(refused.body.error).toContain('invitation_limit');
    got(await client.del(`/v1/settings/users/${invited[0]!.body.id}`), 204);
    got(await invite(client, 99), 201);
  });

  it('has a limit of users, including invited ones', async () => {
    const client = await tenant({ user_limit: 2 });
    got(await invite(client, 1), 201);
    const refused = await invite(client, 2);
    expect(refused).toMatchObject(exceeded);
    expect(refused.body.error).toContain('user_limit');
  });
});

describe('relations', () => {
  it('are limited exactly, and a deletion allows one more', async () => {
    const client = await tenant({ relation_limit: 4 });
    const ids = (await Promise.all(Array.from({ length: 6 }, () => newEntity(client)))).map(({ id }) => id);
    const pairs = ids.flatMap((from) => ids.filter((to) => to !== from).map((to) => [from, to]));
    const relate = ([from_entity_id, to_entity_id]: string[]) =>
      client.post('/v1/relations', { from_entity_id, to_entity_id, relation_type: 'depends_on' });
    const made = await Promise.all(pairs.map(relate));
    const relations = made.filter(({ status }) => status === 201).map(({ body }) => body);
    expect(relations).toHaveLength(4);
    expect(made.find(({ status }) => status !== 201)).toMatchObject(exceeded);
    const taken = new Set(relations.map(({ from_entity_id, to_entity_id }) => `${from_entity_id} ${to_entity_id}`));
    const free = pairs.filter((pair) => !taken.has(pair.join(' ')));
    await Promise.all([1, 2].map(() => client.del(`/v1/relations/${relations[0].id}`)));
    got(await relate(free[0]!), 201);
    expect(await relate(free[1]!)).toMatchObject(exceeded);
  });
});
