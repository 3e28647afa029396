import { afterEach, describe, expect, it } from 'vitest';
import type { PageView } from '#lib/public/pages/view.ts';
import { isNightly } from '#test/support/nightly.ts';
import { alertingCheck, timeOfDay, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
afterEach(() => service.close());

/** Creates a page that shows the entity of a check. */
async function pageOf(check: Awaited<ReturnType<typeof alertingCheck>>) {
  const groups = [{ components: [{ name: 'Shop', entity_id: check.entity.id }] }];
  return service.call('POST', '/v1/status-pages', { slug: 'shop', title: 'Shop', visibility: 'public', groups });
}

/** Returns the published state of the page; undefined if it is not published. */
async function published(): Promise<PageView | undefined> {
  const file = await service.files.get('status/shop.json');
  return file && JSON.parse(Buffer.from(file.bytes).toString());
}

/**
 * Asserts at least four renderings, two seconds apart. `times` are the write times of their files, up to 100 ms after a
 * rendering starts.
 */
function expectApart(times: number[]): void {
  expect(times.length).toBeGreaterThan(3);
  expect(Math.min(...times.slice(1).map((at, i) => at - times[i]!))).toBeGreaterThan(1900);
}

it('publishes a failure within seconds, and each page at least every five minutes', async () => {
  service = await virtualService('09:30');
  const check = await alertingCheck(service);
  await pageOf(check);
  await service.until('09:35');
  expect(await published()).toMatchObject({ state: 'operational' });
  service.host('shop.test').does('fails');
  await service.until('09:35:14');
  expect(await published()).toMatchObject({ state: 'major_outage' });
  service.host('shop.test').does('answers');
  for (let minute = 40; minute < 60; minute++) {
    await service.until(`09:${minute}`);
    const { as_of, state } = (await published())!;
    expect(state).toBe('operational');
    expect(service.now() - Date.parse(as_of)).toBeLessThanOrEqual(5 * 60_000 + 5_000);
  }
});

it('renders at most every two seconds while 100 entities fail at once, and shows the last state', async () => {
  service = await virtualService('09:30', {}, 'one', true);
  const post = (path: string, body: object): [string, string, object] => ['POST', path, body];
  const entities = await service.callAtOnce(
    Array.from({ length: 100 }, (_, i) =>
      post('/v1/blueprints/service/entities', { slug: `part-${i}`, name: `Part ${i}` }),
    ),
  );
  const check = { check_type: 'http', target_url: 'http://shop.test/', interval_seconds: 10, failure_threshold: 1 };
  await service.callAtOnce(
    entities.flatMap(({ id }) =>
      Array.from({ length: isNightly ? 10 : 1 }, () => post('/v1/checks', { ...check, entity_id: id })),
    ),
  );
  const components = entities.map(({ id, name }) => ({ name, entity_id: id }));
  const page = { slug: 'shop', title: 'Shop', visibility: 'public', groups: [{ components }] };
  await service.call('POST', '/v1/status-pages', page);
  await service.until('09:34');
  const before = service.rendered().length;
  const [operational, outage] = ['operational', 'outage'].map((state) => new Set([state]));
  const states = async () =>
    new Set((await published())!.groups.flatMap(({ components: all }) => all.map(({ state }) => state)));
  expect(await states()).toEqual(operational);
  for (const [behavior, end, shown] of [
    ['fails', '09:34:30', outage],
    ['answers', '09:35', operational],
    ['fails', '09:35:30', outage],
  ] as const) {
    service.host('shop.test').does(behavior);
    await service.until(end);
    expect(await states()).toEqual(shown);
  }
  expectApart(service.rendered().slice(before));
});

it('renders at most every two seconds while a state changes every 1.5 seconds, and shows the last state', async () => {
  service = await virtualService('09:30');
  const check = await alertingCheck(service, { check_type: 'push', interval_seconds: 60 });
  await pageOf(check);
  await service.until('09:34');
  const before = service.rendered().length;
  for (let i = 0; i < 20; i++) {
    await check.push(i % 2 === 1);
    await service.until(timeOfDay('09:34') + (i + 1) * 1500);
  }
  await check.push(false);
  await service.pass(5000);
  expect(await published()).toMatchObject({ state: 'major_outage' });
  expectApart(service.rendered().slice(before));
});

it.each(['before', 'after'] as const)(
  'never replaces a newer page by an older one if a publisher is stopped midway and continues %s its successor',
  async (when) => {
    service = await virtualService('09:30', {}, 'many');
    const check = await alertingCheck(service);
    await pageOf(check);
    await service.until('09:35');
    // The publisher of the failure stops before its first file. Another one starts when the claim of the first ends.
    const resume = service.stopPublisher();
    service.host('shop.test').does('fails');
    await service.until('09:35:20');
    expect(await published()).toMatchObject({ state: 'operational' });
    service.host('shop.test').does('answers');
    await service.until(when === 'before' ? '09:35:32' : '09:38');
    resume();
    await service.until('09:39');
    expect(await published()).toMatchObject({ state: 'operational' });
    service.host('shop.test').does('fails');
    await service.until('09:40');
    expect(await published()).toMatchObject({ state: 'major_outage' });
  },
);

it('retries a few times, not every second, until the claim of a stopped publisher ends', async () => {
  service = await virtualService('09:30', {}, 'many');
  const check = await alertingCheck(service);
  await pageOf(check);
  await service.until('09:35');
  service.stopPublisher();
  service.host('shop.test').does('fails');
  let sends = 0;
  service.fatal.send = (queue) => {
    if (queue === 'publish') sends++;
    return false;
  };
  await service.until('09:36');
  expect(await published()).toMatchObject({ state: 'major_outage' });
  expect(sends).toBeLessThanOrEqual(15);
});

it('removes the files of a page that is a draft again or deleted, also if the service crashes then', async () => {
  service = await virtualService('09:30');
  const check = await alertingCheck(service);
  const page = await pageOf(check);
  await service.until('09:31');
  expect(await published()).toBeDefined();
  await service.call('PUT', `/v1/status-pages/${page.id}`, { visibility: 'draft' });
  await service.pass(30_000);
  expect(await published()).toBeUndefined();
  await service.call('PUT', `/v1/status-pages/${page.id}`, { visibility: 'public' });
  await service.pass(30_000);
  expect(await published()).toBeDefined();
  service.fatal.send = (queue) => queue === 'publish';
  await service.call('DELETE', `/v1/status-pages/${page.id}`).catch(() => {});
  service.fatal.send = () => false;
  await service.pass(5 * 60_000);
  expect(await published()).toBeUndefined();
  expect(service.items().filter(({ pk, sk }) => pk.includes('STATUS') || sk.startsWith('status_page'))).toMatchObject([
    { sk: '!COUNT', count: 0 },
  ]);
});

describe('a subscriber of a page', () => {
  const at = (time: string) => new Date(timeOfDay(time)).toISOString();

  /** Creates a page with a subscriber. `messages` returns the messages that it accepted, such as `10:00 started`. */
  async function subscribed() {
    service = await virtualService('09:30');
    const check = await alertingCheck(service);
    const page = await pageOf(check);
    const config = { url: 'https://customer.test/hook' };
    await service.call('POST', `/v1/status-pages/${page.id}/subscribers`, { channel_type: 'webhook', config });
    const bodies = () =>
      service.host('customer.test').calls.flatMap(({ at: time, body, status }) => {
        return status === 200 ? [{ time: new Date(time).toISOString().slice(11, 16), ...JSON.parse(body) }] : [];
      });
    return {
      page,
      bodies,
      messages: () => bodies().map(({ time, update }) => `${time} ${update.status}`),
      window: (times: object) =>
        service.call('POST', '/v1/windows', { name: 'secret', scope: { entity_ids: [check.entity.id] }, ...times }),
    };
  }

  it('receives a message when maintenance is scheduled, when it starts, and when it ends', async () => {
    const { bodies, messages, window } = await subscribed();
    const times = { starts_at: at('10:00'), ends_at: at('10:30') };
    const { id } = await window({ ...times, public_title: 'New racks' });
    await service.until('12:00');
    expect(messages()).toEqual(['09:30 scheduled', '10:00 started', '10:30 ended']);
    expect(bodies()[0]).toMatchObject({
      ...{ kind: 'status_update', incident: null, page: { title: 'Shop' } },
      maintenance: { id: `${id}-${timeOfDay('10:00')}`, title: 'New racks', ...times },
      update: { status: 'scheduled', message: expect.stringMatching(/10:00 UTC to .* 10:30 UTC/) },
    });
    expect(JSON.stringify(bodies())).not.toMatch(/secret|acc_|ent_|chk_/);
  });

  it.each(['publish', 'delivery'] as const)(
    'receives each message once if the service stops during sends to the queue %s',
    async (queue) => {
      const { messages, window } = await subscribed();
      let sends = 0;
      // Every other send stops the process.
      service.fatal.send = (name) => name === queue && ++sends % 2 === 1;
      await window({ starts_at: at('10:00'), ends_at: at('10:30') }).catch(() => {});
      await service.until('12:00');
      expect(sends).toBeGreaterThan(2);
      expect(messages().map((one) => one.slice(6))).toEqual(['scheduled', 'started', 'ended']);
    },
  );

  it('receives a message about a moved start and an early end, and none when only a note changes', async () => {
    const { bodies, messages, window } = await subscribed();
    const { id } = await window({ starts_at: at('10:00'), ends_at: at('11:00') });
    const change = (settings: object) => service.call('PUT', `/v1/windows/${id}`, settings);
    await service.until('09:40');
    await change({ starts_at: at('10:10') });
    await service.until('09:50');
    await change({ note: 'Bring the new disks' });
    await service.until('10:30');
    await change({ ends_at: at('10:30') });
    await service.until('12:00');
    expect(messages()).toEqual(['09:30 scheduled', '09:40 scheduled', '10:10 started', '10:30 ended']);
    expect(
      bodies()
        .map(({ maintenance }) => maintenance.starts_at.slice(11, 16))
        .join(),
    ).toBe('10:00,10:10,10:10,10:10');
  });

  it('receives the cancellation of announced maintenance, and the end of a window that is deleted while it runs', async () => {
    const { bodies, messages, window } = await subscribed();
    const cancelled = await window({ starts_at: at('11:00'), ends_at: at('11:30') });
    const moved = await window({ starts_at: at('12:00'), ends_at: at('12:30') });
    const running = await window({ starts_at: at('10:00'), ends_at: at('10:30') });
    await service.until('09:40');
    await service.call('PUT', `/v1/windows/${moved.id}`, { starts_at: at('12:10') });
    await service.until('10:10');
    for (const { id } of [cancelled, moved, running]) await service.call('DELETE', `/v1/windows/${id}`);
    await service.until('13:00');
    expect(messages().slice(0, 5)).toEqual([
      ...['09:30 scheduled', '09:30 scheduled', '09:30 scheduled', '09:40 scheduled', '10:00 started'],
    ]);
    expect(
      bodies()
        .slice(5)
        .map(({ time, maintenance, update }) => [time, maintenance.starts_at.slice(11, 16), update.status].join(' '))
        .toSorted(),
    ).toEqual(['10:10 10:00 ended', '10:10 11:00 cancelled', '10:10 12:10 cancelled']);
  });

  it('receives the end once if the service stops after it created the delivery, and the window is then deleted', async () => {
    const { messages, window } = await subscribed();
    const { id } = await window({ starts_at: at('10:00'), ends_at: at('10:30') });
    await service.until('10:29');
    let sends = 0;
    // The delivery exists at the second send, and the page is not published yet.
    service.fatal.send = (name) => name === 'delivery' && ++sends === 2;
    await service.until('10:30:10');
    expect(sends).toBe(2);
    await service.call('DELETE', `/v1/windows/${id}`);
    await service.until('12:00');
    expect(messages().map((one) => one.slice(6))).toEqual(['scheduled', 'started', 'ended']);
  });

  it('receives each end of a window that is extended after its end', async () => {
    const { messages, window } = await subscribed();
    const { id } = await window({ starts_at: at('10:00'), ends_at: at('10:30') });
    await service.until('10:40');
    await service.call('PUT', `/v1/windows/${id}`, { ends_at: at('11:00') });
    await service.until('12:00');
    expect(messages()).toEqual(['09:30 scheduled', '10:00 started', '10:30 ended', '11:00 ended']);
  });

  it('receives a cancellation once if the window is deleted a day later and the service stops during sends', async () => {
    const { messages, window } = await subscribed();
    const days = (count: number) => new Date(timeOfDay('10:00') + count * 86_400_000).toISOString();
    const { id } = await window({ starts_at: days(2), ends_at: days(3) });
    await service.until(timeOfDay('10:00') + 86_400_000);
    let sends = 0;
    service.fatal.send = (name) => name === 'delivery' && ++sends % 2 === 1;
    await service.call('DELETE', `/v1/windows/${id}`);
    await service.pass(600_000);
    expect(sends).toBeGreaterThan(0);
    expect(messages().map((one) => one.slice(6))).toEqual(['scheduled', 'cancelled']);
  });

  it('receives a notice of only the next start of a window that recurs often', async () => {
    const { messages, window } = await subscribed();
    await window({ cron: '*/30 * * * *', duration_seconds: 600 });
    await service.until('10:20');
    expect(messages().toSorted()).toEqual([...['09:30 scheduled', '10:00 scheduled', '10:00 started', '10:10 ended']]);
  });

  it('receives no retry after its removal', async () => {
    const { messages, page, window } = await subscribed();
    const host = service.host('customer.test');
    host.does('fails');
    await window({ starts_at: at('10:00'), ends_at: at('10:30') });
    while (host.calls.length === 0) await service.pass(100);
    const path = `/v1/status-pages/${page.id}/subscribers`;
    const [subscriber] = await service.call('GET', path);
    await service.call('DELETE', `${path}/${subscriber.id}`);
    const tried = host.calls.length;
    host.does('answers');
    await service.until('11:00');
    expect(host.calls).toHaveLength(tried);
    expect(messages()).toEqual([]);
    const log = await service.call('GET', `/v1/notify/logs?channel_id=${subscriber.id}`);
    expect(log).toMatchObject([{ status: 'failed', error: 'the subscriber was removed' }]);
  });

  it('receives nothing about maintenance that is entered after its end or affects another component', async () => {
    const { messages, window } = await subscribed();
    await window({ starts_at: at('09:00'), ends_at: at('09:20') });
    await window({ starts_at: at('10:00'), ends_at: at('10:20'), scope: { labels: { other: 'yes' } } });
    await service.until('11:00');
    expect(messages()).toEqual([]);
  });

  it('receives a message a day before each start of recurring maintenance', async () => {
    const { messages, window } = await subscribed();
    await window({ cron: '0 11 * * *', duration_seconds: 600 });
    await service.until('11:30');
    expect(messages().toSorted()).toEqual(['09:30 scheduled', '11:00 scheduled', '11:00 started', '11:10 ended']);
  });
});
