import { afterEach, expect, it } from 'vitest';
import { alertingCheck, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
afterEach(() => service.close());

/** Creates a page that shows the entity of a check. */
async function pageOf(check: Awaited<ReturnType<typeof alertingCheck>>) {
  const groups = [{ components: [{ name: 'Shop', entity_id: check.entity.id }] }];
  return service.call('POST', '/v1/status-pages', { slug: 'shop', title: 'Shop', visibility: 'public', groups });
}

/** Published state of the page; undefined if it is not published. */
async function published(): Promise<{ state: string; as_of: string } | undefined> {
  const file = await service.files.get('status/shop.json');
  return file && JSON.parse(Buffer.from(file.bytes).toString());
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

it('renders at most every two seconds while many entities fail, and shows the last state', async () => {
  service = await virtualService('09:30');
  const checks: Awaited<ReturnType<typeof alertingCheck>>[] = [];
  for (let i = 0; i < 20; i++) checks.push(await alertingCheck(service));
  const components = checks.map(({ entity }, i) => ({ name: `Part ${i}`, entity_id: entity.id }));
  const groups = [{ components }];
  await service.call('POST', '/v1/status-pages', { slug: 'shop', title: 'Shop', visibility: 'public', groups });
  await service.until('09:34');
  const before = service.rendered();
  service.host('shop.test').does('fails');
  await service.until('09:34:30');
  expect(await published()).toMatchObject({ state: 'major_outage' });
  expect(service.rendered() - before).toBeLessThanOrEqual(15);
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
