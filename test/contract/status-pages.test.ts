import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newEntity } from '#test/support/fleet.ts';
import { target } from '#test/support/service.ts';

const PAGES = '/v1/status-pages';

let client: Client;
let url: string;
let entity: string;
let slugs = 0;
beforeAll(async () => {
  client = await newTenant();
  ({ url } = await target());
  entity = (await newEntity(client)).id;
});

const page = (more: object = {}) => ({
  slug: `acme-${Date.now() % 1e6}-${++slugs}`,
  title: 'Acme status',
  visibility: 'public',
  groups: [{ name: 'Shop', components: [{ name: 'Checkout', entity_id: entity }] }],
  ...more,
});
const made = async (more: object = {}) => got(await client.post(PAGES, page(more)), 201);

/** Requests a path without a key. */
async function visit(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(url + path, { method, headers, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const pathOf = ({ url: address }: { url: string }) => new URL(address).pathname;

describe('a status page', () => {
  it('is public within seconds, as HTML and as JSON', async () => {
    const { id, ...record } = await made();
    const path = pathOf(record as never);
    expect(path).toBe(`/status/${record.slug}`);
    const html = await visit(path);
    expect([html.status, html.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(html.text).toContain('<h1>Acme status</h1>');
    const json = JSON.parse((await visit(`${path}.json`)).text);
    expect(json).toMatchObject({
      version: 1,
      page: { title: 'Acme status', language: 'en' },
      state: 'unknown',
      groups: [{ name: 'Shop', components: [{ name: 'Checkout', state: 'unknown' }] }],
    });
    await eventually(async () => expect((await client.get(`${PAGES}/${id}`)).body.published_at).not.toBeNull());
  });
});
