import { afterEach, describe, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { timeOfDay, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
afterEach(() => service.close());

const at = (time: string) => new Date(timeOfDay(time)).toISOString();

/**
 * Starts a service with a database that alerts the pager, and a shop that depends on it and alerts the pager and its
 * team. Both fail at 09:40: the pager is notified of the database, and the team of the shop.
 */
async function failing(prepare: (shop: { id: string }) => Promise<unknown> = async () => {}) {
  service = await virtualService('09:30');
  const world = dependencyWorld(service);
  const [db, shop] = [await world.addEntity('db'), await world.addEntity('shop', { receiver: 'team.test' })];
  await service.call('POST', `/v1/checks/${shop.id}/policy/channels`, {
    ...{ channel_type: 'webhook', config: { url: 'https://pager.test/hook' } },
  });
  await world.depends(shop, db);
  await prepare(shop);
  await service.until('09:40');
  world.fails('db', 'shop');
  await service.until('09:45');
  const { alertsAt } = world;
  expect([alertsAt('pager.test'), alertsAt('team.test')]).toEqual([['09:40 db down'], ['09:40 shop down']]);
  return { ...world, shop };
}

/** Returns the alerts of the pager and of the team after 09:45. */
const since = (alertsAt: (receiver: string) => string[]) => [
  alertsAt('pager.test').slice(1),
  alertsAt('team.test').slice(1),
];

const addWindow = (shop: { id: string }) =>
  service.call('POST', '/v1/windows', {
    ...{ name: 'move', starts_at: at('09:50'), ends_at: at('10:10'), scope: { check_ids: [shop.id] } },
  });

const addSilence = ({ id }: { id: string }) =>
  service.call('POST', `/v1/checks/${id}/policy`, { silenced_until: at('10:10') });

describe.each([
  ['a window', addWindow],
  ['a silence', addSilence],
])('%s that begins after some recipients were notified of a failure and others were not', (_, begins) => {
  it('delays the alert for the others until it is over and the root cause has recovered', async () => {
    const { answers, alertsAt, shop } = await failing();
    await begins(shop);
    await service.until('09:55');
    answers('db');
    await service.until('10:30');
    const [pager, team] = since(alertsAt);
    expect(pager!.filter((one) => one.includes('shop'))).toEqual([expect.stringMatching(/^10:1[0-9] shop down$/)]);
    expect(team).toEqual([]);
  });
});

it('sends a recovery during a maintenance window only to notified recipients', async () => {
  const { answers, alertsAt, shop } = await failing();
  await addWindow(shop);
  await service.until('09:55');
  answers('db', 'shop');
  await service.until('10:30');
  expect(since(alertsAt)).toEqual([['09:55 db up'], ['09:55 shop up']]);
});

it('reports the recovery to a destination that an escalation step notified through another of its channels', async () => {
  const { answers, alertsAt } = await failing(async (shop) => {
    const path = `/v1/checks/${shop.id}/policy`;
    const settings = { channel_type: 'webhook', config: { url: 'https://pager.test/hook' } };
    const { id } = await service.call('POST', `${path}/channels`, settings);
    await service.call('POST', path, { escalation: [{ after_seconds: 600, channel_ids: [id] }] });
  });
  await service.until('09:55');
  answers('shop');
  await service.until('10:00');
  const [pager, team] = since(alertsAt);
  expect([pager, team]).toEqual([['09:50 shop down', '09:55 shop up'], ['09:55 shop up']]);
});
