import { afterEach, describe, expect, it } from 'vitest';
import { iso } from '#lib/platform/time.ts';
import { dependencyWorld } from './dependency-world.ts';
import { timeOfDay, type VirtualService, virtualService } from './virtual-service.ts';

let open: VirtualService;
afterEach(() => open.close());

const payloads = (receiver = 'pager.test') => open.host(receiver).calls.map(({ body }) => JSON.parse(body));
const updates = () => payloads().filter(({ kind }) => kind === 'impact');

/** A database with three dependents, which fail with it shortly after its alert. */
async function outage({ policy = {}, settings = {}, dependents = ['shop', 'blog', 'mail'] } = {}) {
  open = await virtualService('09:30');
  const world = dependencyWorld(open);
  const db = await world.addEntity('db', settings);
  await open.call('POST', `/v1/checks/${db.id}/policy`, policy);
  for (const name of ['shop', 'blog', 'mail']) await world.depends(await world.addEntity(name), db);
  await open.until('09:40');
  world.fails('db');
  await open.until('09:40:15');
  world.fails(...dependents);
  return { ...world, db };
}

describe('the impact update a minute after an alert', () => {
  it('notifies its recipients once of the number of downstream failures, with low urgency', async () => {
    await outage();
    await open.until('09:50');
    const [first, ...others] = payloads();
    expect(first).toMatchObject({ kind: 'state_change', urgency: 'high', entity_name: 'db' });
    expect(others).toEqual([
      expect.objectContaining({
        ...{ kind: 'impact', urgency: 'low', entity_name: 'db', incident_id: first.incident_id },
        affected: { count: 3, names: expect.arrayContaining(['shop', 'blog', 'mail']) },
      }),
    ]);
    const [alerted, updated] = open.host('pager.test').calls.map(({ at }) => at);
    expect(updated! - alerted!).toBeGreaterThanOrEqual(59_500);
    expect(updated! - alerted!).toBeLessThan(61_500);
  });

  it('leaves its recipients notified if its delivery fails, without alerts of downstream failures', async () => {
    await outage();
    await open.until('09:41');
    open.host('pager.test').does('fails');
    await open.until('09:45');
    open.host('pager.test').does('answers');
    await open.until('09:55');
    expect(payloads().map(({ kind }) => kind)).toEqual(['state_change', 'impact', 'impact', 'impact']);
  });

  it('is not sent without downstream failures', async () => {
    await outage({ dependents: [] });
    await open.until('09:50');
    expect(payloads()).toHaveLength(1);
  });

  it('is not sent if the policy disables it', async () => {
    await outage({ policy: { impact_update: false } });
    await open.until('09:50');
    expect(payloads()).toHaveLength(1);
  });

  it('is not sent after recovery or acknowledgement', async () => {
    const { answers, fails, db } = await outage();
    await open.until('09:40:30');
    answers('db');
    await open.until('09:45');
    expect(updates()).toEqual([]);
    answers('shop', 'blog', 'mail');
    await open.until('10:00');
    fails('db', 'shop', 'blog', 'mail');
    await open.until('10:00:30');
    await open.call('POST', `/v1/checks/${db.id}/acknowledge`, {});
    await open.until('10:05');
    expect(updates()).toEqual([]);
  });

  it('is not sent for a new failure that a maintenance window held until its end', async () => {
    const { answers, fails, db } = await outage({
      settings: { interval_seconds: 25 },
      policy: { cooldown_seconds: 0 },
    });
    const { results } = await open.call('GET', `/v1/checks/${db.id}/results`);
    const slot = Date.parse(results[0].checked_at);
    const down = slot < timeOfDay('09:40') ? slot + 25_000 : slot;
    await open.until(down + 16_000);
    answers('db');
    const [starts_at, ends_at] = [iso(down - 5000), iso(down + 58_000)];
    const scope = { check_ids: [db.id] };
    await open.call('POST', '/v1/windows', { name: 'disks', starts_at, ends_at, scope });
    await open.until(down + 30_000);
    fails('db');
    await open.until(down + 65_000);
    const own = payloads().filter(({ entity_name }) => entity_name === 'db');
    expect(own.map(({ kind, check_to_state }) => `${kind} ${check_to_state}`)).toEqual([
      'state_change down',
      'state_change up',
    ]);
  });
});
