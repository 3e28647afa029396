import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import type { Person } from '#test/support/browser.ts';
import { type Client, clientOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { personAt } from './places.ts';

/** Names that must be shown as text. */
export const ODD_NAMES = ['<script>alert(1)</script>', 'متجر الويب', `${'long '.repeat(39)}name`, '𝒲ide 🛰 name'];

type Made = { id: string; slug: string };

/** Creates a catalog in which `shop` depends on `api`, and `api` on `database`; all three are down. */
export async function shopOf(admin: Client) {
  const fields = [
    { name: 'owner', field_type: 'string', required: true, default_value: 'platform team' },
    { name: 'tier', field_type: 'number' },
    { name: 'runbook', field_type: 'url' },
    { name: 'tags', field_type: 'array' },
  ];
  got(
    await admin.post('/v1/blueprints', {
      slug: 'service',
      name: 'Service',
      description: 'Services of the shop',
      fields,
    }),
    201,
  );
  const make = async (slug: string, name: string, values: object = {}): Promise<Made> =>
    got(await admin.post('/v1/blueprints/service/entities', { slug, name, fields: values }), 201);
  const shop = await make('shop', 'Web shop', {
    tier: 1,
    runbook: 'https://wiki.example.com/shop',
    tags: ['eu', 'web'],
  });
  const api = await make('api', 'Public API', { tier: 1 });
  const database = await make('database', 'Database', { tier: 0, owner: 'data team' });
  for (const [i, name] of ODD_NAMES.entries()) await make(`odd-${i}`, name, { owner: name });
  for (const [from, to] of [
    [shop, api],
    [api, database],
  ] as const) {
    const relation = { from_entity_id: from.id, to_entity_id: to.id, relation_type: 'depends_on' };
    got(await admin.post('/v1/relations', relation), 201);
  }
  const checks: string[] = [];
  for (const { id } of [shop, api, database]) {
    const push = { entity_id: id, check_type: 'push', name: 'heartbeat', interval_seconds: 3600, failure_threshold: 1 };
    const check = got(await admin.post('/v1/checks', push), 201);
    checks.push(check.id);
    await report(admin, check.id, false);
  }
  return { shop, api, database, checks };
}

/** Posts a result of a push check. */
export async function report(admin: Client, check: string, success: boolean): Promise<void> {
  const result = { success, latency_ms: 5, status_code: 0, ...(!success && { error_message: 'disk is full' }) };
  got(await admin.post(`/v1/checks/${check}/results`, result), 201);
}

export type Visitor = Person & { admin: Client; go(path: string): Promise<void> };

/** Opens the console with a key of an account. @param key default: the key of the admin */
export async function visitor(browser: Browser, url: string, admin: Client, key = admin.key): Promise<Visitor> {
  const person = await personAt(browser, url, key);
  const go = async (path: string) => {
    await person.page.evaluate(`location.hash = '#${path}'`);
    await eventually(async () => (await person.page.locator('.loading').count()) === 0);
  };
  return { ...person, admin, go };
}

/** Opens the console of a new account with the catalog of shopOf. */
export async function shopVisitor(browser: Browser, url: string) {
  const admin = await newTenant();
  const world = await shopOf(admin);
  return { ...(await visitor(browser, url, admin)), ...world };
}

/** Opens the console of the account with a read-only key. */
export async function readerOf(browser: Browser, url: string, admin: Client): Promise<Visitor> {
  const made = got(await admin.post('/v1/auth/keys', { label: 'Reader', is_read_only: true }), 201);
  return visitor(browser, url, clientOf(url, admin.key), made.key);
}

/** Asserts that the page does not scroll horizontally. */
export async function expectNoSidewaysScroll({ page }: Person): Promise<void> {
  const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect(wide).toBeLessThanOrEqual(0);
}
