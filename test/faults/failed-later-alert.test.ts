import { afterEach, describe, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
afterEach(() => service.close());

/** Starts a service with a shop that depends on a database with two checks; all alert the pager, without a cooldown. */
async function shopAndDatabase() {
  service = await virtualService('09:30');
  const world = dependencyWorld(service);
  const [db, shop] = [await world.addEntity('db'), await world.addEntity('shop')];
  await world.depends(shop, db);
  const replica = await world.addCheck(db.entity, 'replica');
  for (const { id } of [db, shop, replica])
    await service.call('POST', `/v1/checks/${id}/policy`, { cooldown_seconds: 0 });
  return world;
}

/** Returns the down alerts that the pager accepted: `db high`. */
const downs = (): string[] =>
  service.host('pager.test').calls.flatMap(({ body, status }) => {
    const { kind, entity_name, check_to_state, urgency } = JSON.parse(body);
    return status === 200 && kind === 'state_change' && check_to_state === 'down' ? [`${entity_name} ${urgency}`] : [];
  });

/** Makes the pager unavailable until `time`. */
async function unreachedUntil(time: string) {
  service.host('pager.test').does('fails');
  await service.until(time);
  service.host('pager.test').does('answers');
}

describe('a failed alert about an already notified failure', () => {
  it('does not cause alerts of downstream failures', async () => {
    const { fails } = await shopAndDatabase();
    await service.until('09:40');
    fails('db');
    await service.until('09:40:30');
    fails('replica');
    await unreachedUntil('09:41');
    fails('shop');
    await service.until('09:50');
    expect(downs()).toEqual(['db high']);
  });

  it('does not cause another urgent alert for a new failure soon after', async () => {
    const { fails, answers } = await shopAndDatabase();
    await service.until('09:40');
    fails('db');
    await service.until('09:41');
    answers('db');
    await service.until('09:42');
    fails('db');
    await unreachedUntil('09:42:40');
    answers('db');
    await service.until('09:43:30');
    fails('db');
    await service.until('09:44');
    expect(downs()).toEqual(['db high', 'db low']);
  });
});
