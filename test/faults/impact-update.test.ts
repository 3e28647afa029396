import { afterEach, describe, expect, it } from 'vitest';
import { iso } from '#lib/platform/time.ts';
import { dependencyWorld } from './dependency-world.ts';
import { timeOfDay, type VirtualService, virtualService } from './virtual-service.ts';

let open: VirtualService;
afterEach(() => open.close());

const payloads = (receiver = 'pager.test') => open.host(receiver).calls.map(({ body }) => JSON.parse(body));
const updates = () => payloads().filter(({ kind }) => kind === 'impact');

/** A database that three depend on, which fail with it from a time on, soon after its alert. */
async function outage({ policy = {}, settings = {}, dependents = ['shop', 'blog', 'mail'] } = {}) {
  open = await virtualService('09:30');
  const world = dependencyWorld(open);
  const db = await world.watched('db', settings);
  await open.call('POST', `/v1/checks/${db.id}/policy`, policy);
  for (const name of ['shop', 'blog', 'mail']) await world.depends(await world.watched(name), db);
  await open.until('09:40');
  world.fails('db');
  await open.until('09:40:15');
  world.fails(...dependents);
  return { ...world, db };
}

describe('a minute after the alert of what others depend on', () => {
  it('those who got it hear once how many fail with it, and are not woken', async () => {
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
    const [told, updated] = open.host('pager.test').calls.map(({ at }) => at);
    expect(updated! - told!).toBeGreaterThanOrEqual(59_500);
    expect(updated! - told!).toBeLessThan(61_500);
  });

  it('who does not get that was told all the same, and hears of nothing that fails with it', async () => {
    await outage();
    await open.until('09:41');
    open.host('pager.test').does('fails');
    await open.until('09:45');
    open.host('pager.test').does('answers');
    await open.until('09:55');
    expect(payloads().map(({ kind }) => kind)).toEqual(['state_change', 'impact', 'impact', 'impact']);
  });

  it('they hear nothing where nothing fails with it', async () => {
    await outage({ dependents: [] });
    await open.until('09:50');
    expect(payloads()).toHaveLength(1);
  });

  it('nor where their policy wants no update', async () => {
    await outage({ policy: { impact_update: false } });
    await open.until('09:50');
    expect(payloads()).toHaveLength(1);
  });

  it('nor when it is up again, or somebody looks after it', async () => {
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

  it('nor when it was up meanwhile, and has failed again in planned work that is just over', async () => {
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
