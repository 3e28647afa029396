import { afterEach, describe, expect, it } from 'vitest';
import { iso } from '#lib/platform/time.ts';
import { dependencyWorld } from './dependency-world.ts';
import { timeOfDay, type VirtualService, virtualService } from './virtual-service.ts';

let running: VirtualService;
afterEach(() => running.close());

const payloads = (receiver = 'pager.test') => running.host(receiver).calls.map(({ body }) => JSON.parse(body));
const updates = () => payloads().filter(({ kind }) => kind === 'impact');

/** Starts a service with a database and three dependents. `dependents` fail shortly after the alert of the database. */
async function outage({ policy = {}, settings = {}, dependents = ['shop', 'blog', 'mail'] } = {}) {
  running = await virtualService('09:30');
  const world = dependencyWorld(running);
  const db = await world.addEntity('db', settings);
  await running.call('POST', `/v1/checks/${db.id}/policy`, policy);
  for (const name of ['shop', 'blog', 'mail']) await world.depends(await world.addEntity(name), db);
  await running.until('09:40');
  world.fails('db');
  await running.until('09:40:15');
  world.fails(...dependents);
  return { ...world, db };
}

describe('the impact update a minute after an alert', () => {
  it('notifies its recipients once of the number of downstream failures, with low urgency', async () => {
    await outage();
    await running.until('09:50');
    const [first, ...others] = payloads();
    expect(first).toMatchObject({ kind: 'state_change', urgency: 'high', entity_name: 'db' });
    expect(others).toEqual([
      expect.objectContaining({
        ...{ kind: 'impact', urgency: 'low', entity_name: 'db', incident_id: first.incident_id },
        affected: { count: 3, names: expect.arrayContaining(['shop', 'blog', 'mail']) },
      }),
    ]);
    const [alerted, updated] = running.host('pager.test').calls.map(({ at }) => at);
    expect(updated! - alerted!).toBeGreaterThanOrEqual(59_500);
    expect(updated! - alerted!).toBeLessThan(61_500);
  });

  it('causes no alerts of downstream failures if its delivery fails', async () => {
    await outage();
    await running.until('09:41');
    running.host('pager.test').does('fails');
    await running.until('09:45');
    running.host('pager.test').does('answers');
    await running.until('09:55');
    expect(payloads().map(({ kind }) => kind)).toEqual(['state_change', 'impact', 'impact', 'impact']);
  });

  it('is not sent without downstream failures', async () => {
    await outage({ dependents: [] });
    await running.until('09:50');
    expect(payloads()).toHaveLength(1);
  });

  it('is not sent if the policy disables it', async () => {
    await outage({ policy: { impact_update: false } });
    await running.until('09:50');
    expect(payloads()).toHaveLength(1);
  });

  it('is not sent after recovery or acknowledgement', async () => {
    const { answers, fails, db } = await outage();
    await running.until('09:40:30');
    answers('db');
    await running.until('09:45');
    expect(updates()).toEqual([]);
    answers('shop', 'blog', 'mail');
    await running.until('10:00');
    fails('db', 'shop', 'blog', 'mail');
    await running.until('10:00:30');
    await running.call('POST', `/v1/checks/${db.id}/acknowledge`, {});
    await running.until('10:05');
    expect(updates()).toEqual([]);
  });

  it('is not sent for a new failure that a maintenance window held until its end', async () => {
    const { answers, fails, db } = await outage({
      settings: { interval_seconds: 25 },
      policy: { cooldown_seconds: 0 },
    });
    const { results } = await running.call('GET', `/v1/checks/${db.id}/results`);
    const slot = Date.parse(results[0].checked_at);
    const down = slot < timeOfDay('09:40') ? slot + 25_000 : slot;
    await running.until(down + 16_000);
    answers('db');
    const [starts_at, ends_at] = [iso(down - 5000), iso(down + 58_000)];
    const scope = { check_ids: [db.id] };
    await running.call('POST', '/v1/windows', { name: 'disks', starts_at, ends_at, scope });
    await running.until(down + 30_000);
    fails('db');
    await running.until(down + 65_000);
    const own = payloads().filter(({ entity_name }) => entity_name === 'db');
    expect(own.map(({ kind, check_to_state }) => `${kind} ${check_to_state}`)).toEqual([
      'state_change down',
      'state_change up',
    ]);
  });
});
