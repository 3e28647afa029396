import { afterEach, describe, expect, it } from 'vitest';
import { type Check, dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let open: VirtualService;
afterEach(() => open.close());

const NAMES = ['shop', 'blog', 'mail', 'cart'];

/** Some that depend on a database, each with a channel to the same room; all fail at 09:40, and it is back at 09:50. */
async function from(time: string, names = NAMES) {
  open = await virtualService(time);
  const world = { service: open, ...dependencyWorld(open) };
  const db = await world.watched('db');
  const dependents: Check[] = [];
  for (const name of names) {
    const one = await world.watched(name);
    await world.unheard(one);
    await room(one);
    await world.depends(one, db);
    dependents.push(one);
  }
  await room(db);
  await open.until('09:40');
  world.fails('db', ...names);
  await open.until('09:50');
  world.answers('db');
  return { ...world, db, dependents };
}

const room = ({ id }: Check, host = 'room.test') =>
  open.call('POST', `/v1/checks/${id}/policy/channels`, {
    ...{ channel_type: 'slack', config: { url: `https://${host}/hook` } },
  });

/** What came to a room, but for the database's own. */
const texts = (host = 'room.test') =>
  open
    .host(host)
    .calls.filter(({ status }) => status === 200)
    .map(({ body }) => JSON.parse(body) as { text: string })
    .filter(({ text }) => !/\bdb\b.* (is down|is up)/.test(text));
const logOf = async ({ id }: Check) => (await open.call('GET', `/v1/notify/logs?check_id=${id}`))[0];

describe('what stays down after the recovery of what it depends on', () => {
  it('is one message that names all, while each has its own decision and delivery', async () => {
    const { service, dependents, alertsOf } = await from('09:30');
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
      expect((await alertsOf(one))[0]).toBe('down planned null');
    }
  });

  it('says of one alone what it followed from', async () => {
    const { service } = await from('09:30', ['shop']);
    await service.until('09:53');
    const [message] = texts();
    expect(message!.text).not.toMatch(/more/);
    expect(JSON.stringify(message)).toMatch(/It was caused by db, which has recovered\./);
  });

  it('is told to programs one by one, and with the same group', async () => {
    open = await virtualService('09:30');
    const { watched, depends, fails, answers, told } = dependencyWorld(open);
    const db = await watched('db');
    for (const name of ['shop', 'blog']) await depends(await watched(name), db);
    await open.until('09:40');
    fails('db', 'shop', 'blog');
    await open.until('09:50');
    answers('db');
    await open.until('09:53');
    expect(told().slice(2).toSorted()).toEqual(['09:51 blog down', '09:51 shop down']);
    const groups = open
      .host('pager.test')
      .calls.filter(({ headers }) => headers['X-Service-Kind'] !== 'impact')
      .slice(2)
      .map(({ body }) => JSON.parse(body).group_id);
    expect(groups).toEqual([expect.stringMatching(/^grp_/), groups[0]]);
  });

  it('is tried again as one, and fails as one, where the room does not answer', async () => {
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
    'is told of each, whenever the service dies: at delivery message %i',
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

  it('is told of each, also where the service dies after the room took the message', async () => {
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
