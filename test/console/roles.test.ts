import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, keyOf, memberOf, newTenant } from '#test/support/client.ts';
import { target } from '#test/support/service.ts';
import { inBrowser } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { hostileCatalog, type Params } from './hostile-catalog.ts';
import { isOpenTo, watchOffers } from './offered.ts';
import { expectDisabled } from './person.ts';
import { addressOf, arrive, isOpen, paths, personAt } from './places.ts';

/** Returns the endpoints of all pages. */
const ofAll = (byPage: ReadonlyMap<string, ReadonlySet<string>>) =>
  new Set([...byPage.values()].flatMap((endpoints) => [...endpoints]));

/** One endpoint per kind of record and access. */
const OF_EACH_KIND = [
  'PUT /v1/blueprints/{slug}',
  'DELETE /v1/blueprints/{blueprint_slug}/entities/{slug}',
  'POST /v1/relations',
  'PUT /v1/checks/{id}',
  'DELETE /v1/checks/{id}',
  'POST /v1/checks/{check_id}/policy',
  'DELETE /v1/checks/{check_id}/policy/channels/{channel_id}',
  'POST /v1/checks/{check_id}/policy/channels/{channel_id}/test',
  'POST /v1/actions/{id}/run',
  'PUT /v1/actions/{id}',
  'PUT /v1/skills/{slug}',
  'POST /v1/auth/keys',
  'POST /v1/settings/users/invite',
  'PUT /v1/account',
] as const;

const PAGES = paths.filter((path) => !isOpen(path));

describe.skipIf(!binary)('buttons of pages by role', () => {
  const world = inBrowser();
  let url: string;
  let admin: Client;
  let params: Params;
  /** Endpoints that each page offers to an admin. */
  let all: Map<string, Set<string>>;

  /** Returns the endpoints that the enabled buttons of each page call. */
  async function offeredTo({ key }: Pick<Client, 'key'>) {
    const person = await personAt(world.browser, url, key);
    const byPage = new Map<string, Set<string>>();
    const { offered, refused, pressAll } = await watchOffers(person);
    for (const path of PAGES) {
      const address = addressOf(path, params);
      await arrive(person, address);
      await pressAll(address);
      byPage.set(path, new Set(offered));
      offered.clear();
    }
    expect(refused).toEqual([]);
    expect(person.complaints).toEqual([]);
    return byPage;
  }

  beforeAll(async () => {
    ({ url } = await target());
    admin = await newTenant();
    params = await hostileCatalog(admin);
    all = await offeredTo(admin);
  }, 100_000);

  it('offer every kind of change to an admin', () => {
    expect([...ofAll(all)]).toEqual(expect.arrayContaining([...OF_EACH_KIND]));
  });

  it.each([
    ['a viewer', () => memberOf(admin, 'viewer')],
    ['a responder', () => memberOf(admin, 'responder')],
    ['a member', () => memberOf(admin, 'member')],
    ['a read-only key', () => keyOf(admin, { is_read_only: true })],
  ])('offer %s exactly what the API allows', async (_who, made) => {
    const client = await made();
    const { role, is_read_only, key } = (await client.get('/v1/me')).body;
    const rights = { role, is_read_only, scopes: key?.scopes ?? null };
    const offered = await offeredTo(client);
    const tooMuch = [...offered].map(([path, some]) => [path, [...some].filter((one) => !isOpenTo(rights, one))]);
    expect(tooMuch.filter(([, some]) => some!.length > 0)).toEqual([]);
    expect([...ofAll(offered)].sort()).toEqual([...ofAll(all)].filter((one) => isOpenTo(rights, one)).sort());
  });

  it('explain to a responder what needs the member role', async () => {
    const person = await personAt(world.browser, url, (await memberOf(admin, 'responder')).key);
    await arrive(person, '/alerts/silences');
    await person.page.getByRole('button', { name: 'New silence' }).click();
    await expectDisabled(person, 'Silence', /It covers all checks\. This needs the member role; you are a responder\./);
  });

  it('explain to a member what needs the admin role', async () => {
    const person = await personAt(world.browser, url, (await memberOf(admin)).key);
    await arrive(person, '/settings/team');
    await expectDisabled(person, 'Create invitation', /needs the admin role; you are a member/);
  });
});
