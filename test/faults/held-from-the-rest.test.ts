import { afterEach, describe, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { timeOfDay, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
afterEach(() => service.close());

const at = (time: string) => new Date(timeOfDay(time)).toISOString();

/**
 * A database that alerts the pager, and a shop that depends on it and alerts the pager and its team. Both fail at
 * 09:40: the pager hears of the database, and the team of the shop.
 */
async function failing() {
  service = await virtualService('09:30');
  const world = dependencyWorld(service);
  const [db, shop] = [await world.watched('db'), await world.watched('shop', { receiver: 'team.test' })];
  await service.call('POST', `/v1/checks/${shop.id}/policy/channels`, {
    ...{ channel_type: 'webhook', config: { url: 'https://pager.test/hook' } },
  });
  await world.depends(shop, db);
  await service.until('09:40');
  world.fails('db', 'shop');
  await service.until('09:45');
  const { told } = world;
  expect([told('pager.test'), told('team.test')]).toEqual([['09:40 db down'], ['09:40 shop down']]);
  return { ...world, shop };
}

/** What the pager and the team heard from 09:45 on. */
const since = (told: (receiver: string) => string[]) => [told('pager.test').slice(1), told('team.test').slice(1)];

const works = (shop: { id: string }) =>
  service.call('POST', '/v1/windows', {
    ...{ name: 'move', starts_at: at('09:50'), ends_at: at('10:10'), scope: { check_ids: [shop.id] } },
  });

const silences = ({ id }: { id: string }) =>
  service.call('POST', `/v1/checks/${id}/policy`, { silenced_until: at('10:10') });

describe.each([
  ['a window', works],
  ['a silence', silences],
])('%s that begins while some are told of a failure and some are not', (_, begins) => {
  it('leaves it to be told to these, once that is over and its cause is too', async () => {
    const { answers, told, shop } = await failing();
    await begins(shop);
    await service.until('09:55');
    answers('db');
    await service.until('10:30');
    const [pager, team] = since(told);
    expect(pager!.filter((one) => one.includes('shop'))).toEqual([expect.stringMatching(/^10:1[0-9] shop down$/)]);
    expect(team).toEqual([]);
  });
});

it('a recovery in a window is told to those alone who heard of the failure', async () => {
  const { answers, told, shop } = await failing();
  await works(shop);
  await service.until('09:55');
  answers('db', 'shop');
  await service.until('10:30');
  expect(since(told)).toEqual([['09:55 db up'], ['09:55 shop up']]);
});
