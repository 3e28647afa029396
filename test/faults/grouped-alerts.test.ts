import { afterEach, describe, expect, it } from 'vitest';
import { type Check, dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let running: VirtualService;
afterEach(() => running.close());

const NAMES = ['shop', 'blog', 'mail', 'cart'];

/**
 * Starts a service with a database and its dependents, all with a channel to the same room. All fail at 09:40, and the
 * database recovers at 09:50.
 */
async function from(time: string, names = NAMES) {
  running = await virtualService(time);
  const world = { service: running, ...dependencyWorld(running) };
  const db = await world.addEntity('db');
  const dependents: Check[] = [];
  for (const name of names) {
    const one = await world.addEntity(name);
    await world.withoutRecipients(one);
    await addRoom(one);
    await world.depends(one, db);
    dependents.push(one);
  }
  await addRoom(db);
  await running.until('09:40');
  world.fails('db', ...names);
  await running.until('09:50');
  world.answers('db');
  return { ...world, db, dependents };
}

/** Adds the channel of the room to a check. */
const addRoom = ({ id }: Check, host = 'room.test') =>
  running.call('POST', `/v1/checks/${id}/policy/channels`, {
    ...{ channel_type: 'slack', config: { url: `https://${host}/hook` } },
  });

/** Returns the messages in a room, without messages about the database. */
const texts = (host = 'room.test') =>
  running
    .host(host)
    .calls.filter(({ status }) => status === 200)
    .map(({ body }) => JSON.parse(body) as { text: string })
    .filter(({ text }) => !/\bdb\b.* (is down|is up)/.test(text));
const logOf = async ({ id }: Check) => (await running.call('GET', `/v1/notify/logs?check_id=${id}`))[0];

describe('dependents that stay down after the recovery of their root cause', () => {
  it('are reported in one message that names all, while each has its own decision and delivery', async () => {
    const { service, dependents, decisionsOf } = await from('09:30');
    await service.until('09:53');
    const [message, ...more] = texts();
    expect(more).toEqual([]);
    expect(message!.text).toMatch(/is down, and 3 more/);
    const said = JSON.stringify(message);
    expect(said).toMatch(/db has recovered; still down are 4: /);
    for (const name of NAMES) expect(said).toContain(name);
    const deliveries = await Promise.all(dependents.map(logOf));
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['sent']));
    expect(new Set(deliveries.map(({ group_id }) => group_id)).size).toBe(1);
    expect(deliveries[0].group_id).toMatch(/^grp_/);
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(4);
    for (const one of dependents) {
      const [{ alert }] = await service.call('GET', `/v1/checks/${one.id}/transitions`);
      expect(alert).toMatchObject({ decision: 'planned', deliveries: [expect.stringMatching(/^dlv_/)] });
      expect((await decisionsOf(one))[0]).toBe('down planned null');
    }
  });

  it('are reported with the root cause if only one dependent is down', async () => {
    const { service } = await from('09:30', ['shop']);
    await service.until('09:53');
    const [message] = texts();
    expect(message!.text).not.toMatch(/more/);
    expect(JSON.stringify(message)).toMatch(/It was caused by db, which has recovered\./);
  });

  it('are reported to programs one by one, with the same group', async () => {
    running = await virtualService('09:30');
    const { addEntity, depends, fails, answers, alertsAt } = dependencyWorld(running);
    const db = await addEntity('db');
    for (const name of ['shop', 'blog']) await depends(await addEntity(name), db);
    await running.until('09:40');
    fails('db', 'shop', 'blog');
    await running.until('09:50');
    answers('db');
    await running.until('09:53');
    expect(alertsAt().slice(2).toSorted()).toEqual(['09:51 blog down', '09:51 shop down']);
    const groups = running
      .host('pager.test')
      .calls.filter(({ headers }) => headers['X-Service-Kind'] !== 'impact')
      .slice(2)
      .map(({ body }) => JSON.parse(body).group_id);
    expect(groups).toEqual([expect.stringMatching(/^grp_/), groups[0]]);
  });

  it('are retried together and fail together if the room does not respond', async () => {
    const { service, dependents } = await from('09:30');
    await service.until('09:51');
    const before = service.host('room.test').calls.length;
    service.host('room.test').does('fails');
    await service.until('09:51:40');
    expect(service.host('room.test').calls.length - before).toBe(3);
    const deliveries = await Promise.all(dependents.map(logOf));
    expect(deliveries.map(({ status, error }) => `${status} ${/503/.test(error)}`)).toEqual(
      Array(4).fill('failed true'),
    );
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'are each reported when the service crashes at delivery message %i',
    async (nth) => {
      const { service, dependents } = await from('09:30');
      await service.until('09:50:30');
      let sent = 0;
      service.fatal.send = (queue) => queue === 'delivery' && ++sent === nth;
      await service.until('10:05');
      const said = texts().map((message) => JSON.stringify(message));
      for (const name of NAMES) expect(said.join()).toContain(name);
      expect(said.length).toBeLessThanOrEqual(4);
      for (const one of dependents) expect(await logOf(one)).toMatchObject({ status: 'sent' });
    },
  );

  it('are each reported when the service crashes after the room accepted the message', async () => {
    const { service, dependents } = await from('09:30');
    await service.until('09:50:30');
    let calls = 0;
    service.fatal.call = (host) => host === 'room.test' && ++calls === 1;
    await service.until('10:05');
    for (const one of dependents) expect(await logOf(one)).toMatchObject({ status: 'sent' });
    const ids = service.host('room.test').calls.map(({ headers }) => headers['X-Service-Delivery']);
    expect(ids.at(-1)).toBe(ids.at(-2));
  });
});
