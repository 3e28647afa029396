import { afterEach, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let running: VirtualService;
afterEach(() => running.close());

type CauseEvaluation = { at: string; roots: string[]; ancestors: object[]; truncated: boolean };

/** Starts a service with a shop that depends on a database, which depends on a host. */
async function from(time: string, more: object = {}) {
  running = await virtualService(time);
  const world = { service: running, ...dependencyWorld(running) };
  const [host, db, shop] = [
    await world.addEntity('host'),
    await world.addEntity('db', { ...more }),
    await world.addEntity('shop'),
  ];
  await world.depends(db, host);
  await world.depends(shop, db);
  await running.until('09:40');
  const evaluationsOfShop = async (): Promise<CauseEvaluation[]> => {
    const [{ id }] = await running.call('GET', `/v1/checks/${shop.id}/transitions?limit=1`);
    return (await running.call('GET', `/v1/transitions/${id}/explain`)).evaluations;
  };
  return { ...world, host, db, shop, evaluationsOfShop };
}

it('shows each evaluation of the root cause in an explanation, even after the alert was decided', async () => {
  const { service, fails, answers, host, db, shop, evaluationsOfShop } = await from('09:30');
  fails('db', 'shop');
  await service.until('09:47');
  const held = await evaluationsOfShop();
  expect(held.length).toBeGreaterThan(2);
  expect(held.at(-1)).toMatchObject({
    roots: [db.entity.id],
    ancestors: [
      { entity_id: db.entity.id, status: 'failed', evidence: 'state', at: expect.stringMatching(/^2026-11-21T09:40/) },
      { entity_id: host.entity.id, evidence: expect.stringMatching(/^(probe|none)$/) },
    ],
    truncated: false,
  });
  const [first] = held;
  const early = await service.call('GET', `/v1/checks/${shop.id}/explain?at=${first!.at}`);
  expect(early.evaluations).toEqual([first]);
  answers('db');
  await service.until('09:55');
  const { alert, id } = (await service.call('GET', `/v1/checks/${shop.id}/transitions`))[0];
  expect(alert.decision).toBe('planned');
  const { evaluations: after } = await service.call('GET', `/v1/transitions/${id}/explain`);
  expect(after.slice(0, held.length)).toEqual(held);
  expect(after.at(-1)).toMatchObject({ roots: [] });
  expect(after.length).toBeLessThanOrEqual(10);
});

it('shows an upstream probe as evidence of a suspected root cause', async () => {
  const { service, fails, db, evaluationsOfShop } = await from('09:30', {
    interval_seconds: 300,
    failure_threshold: 3,
  });
  await service.until('09:41');
  fails('db', 'shop');
  await service.until('09:43');
  const [first] = await evaluationsOfShop();
  expect(first!.roots).toEqual([db.entity.id]);
  expect(first!.ancestors[0]).toMatchObject({ entity_id: db.entity.id, status: 'failed', evidence: 'probe' });
});

it('shows no evaluation for an alert whose root cause was not evaluated', async () => {
  const { service, fails, host } = await from('09:30');
  fails('host');
  await service.until('09:42');
  expect((await service.call('GET', `/v1/checks/${host.id}/explain`)).evaluations).toEqual([]);
});
