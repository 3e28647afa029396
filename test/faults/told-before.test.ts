import { afterEach, describe, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
afterEach(() => service.close());

/** A shop that depends on a database with two checks; all alert the pager, without a cooldown. */
async function shopAndDatabase() {
  service = await virtualService('09:30');
  const world = dependencyWorld(service);
  const [db, shop] = [await world.watched('db'), await world.watched('shop')];
  await world.depends(shop, db);
  const replica = await world.watchedAt(db.entity, 'replica');
  for (const { id } of [db, shop, replica])
    await service.call('POST', `/v1/checks/${id}/policy`, { cooldown_seconds: 0 });
  return world;
}

/** What the pager took that says down: when, of what, and how urgent it is. */
const downs = (): string[] =>
  service.host('pager.test').calls.flatMap(({ body, status }) => {
    const { kind, entity_name, check_to_state, urgency } = JSON.parse(body);
    return status === 200 && kind === 'state_change' && check_to_state === 'down' ? [`${entity_name} ${urgency}`] : [];
  });

/** The pager is out of order until then. */
async function unreachedUntil(time: string) {
  service.host('pager.test').does('fails');
  await service.until(time);
  service.host('pager.test').does('answers');
}

describe('a further alert of a failure that does not arrive takes nothing from what was told before', () => {
  it('so what follows from the failure is not told', async () => {
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

  it('nor is anybody woken again when it fails anew soon after', async () => {
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
