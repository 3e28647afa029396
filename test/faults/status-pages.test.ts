import { afterEach, expect, it } from 'vitest';
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

/** Published state of the page; undefined if it is not published. */
async function published(): Promise<PageView | undefined> {
  const file = await service.files.get('status/shop.json');
  return file && JSON.parse(Buffer.from(file.bytes).toString());
}

/** Asserts that there were some renderings, and two seconds between their starts: their files take up to 100 ms. */
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

it('renders at most every two seconds also while a state changes more often than that, and shows the last', async () => {
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
    // The publisher of the failure stops before its first file, and another one starts after its claim.
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
