import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const newIncident = async (): Promise<string> =>
  got(await client.post('/v1/incidents', { title: 'Slow', impact: 'degraded' }), 201).id;
const incident = async (id: string) => got(await client.get(`/v1/incidents/${id}`), 200);
const publish = (id: string, status: string, more = {}) =>
  client.post(`/v1/incidents/${id}/updates`, { status, message: 'Payments are slow.', notify: false, ...more });
const updates = async (id: string) => got(await client.get(`/v1/incidents/${id}/updates`), 200);

/** Creates an automatic incident of a check that is down. */
async function automatic() {
  const check = await newCheck(client, { failure_threshold: 1, interval_seconds: 3600 });
  const push = async (success: boolean) =>
    got(await client.post(`/v1/checks/${check.id}/results`, { success, latency_ms: 5 }), 201);
  await push(true);
  await push(false);
  const path = `/v1/incidents?entity_id=${check.entity_id}`;
  const { id } = await eventually(async () => got(await client.get(path), 200)[0]);
  return { id: id as string, push };
}

describe('a public update', () => {
  it('is listed newest first and in the timeline, and sets the public status of the incident', async () => {
    const id = await newIncident();
    expect(await incident(id)).toMatchObject({ public_status: null, public_title: null, component_ids: [] });
    const message = 'The cause is being investigated.\n\nMore at https://example.com/status';
    const first = got(await publish(id, 'investigating', { message, notify: true }), 201);
    expect(first).toMatchObject({ incident_id: id, status: 'investigating', message, notify: true, edited_at: null });
    const second = got(await publish(id, 'identified'), 201);
    expect(await updates(id)).toEqual([second, first]);
    expect((await incident(id)).public_status).toBe('identified');
    const timeline = got(await client.get(`/v1/incidents/${id}/timeline`), 200) as { kind: string; text: string }[];
    const texts = timeline.filter(({ kind }) => kind === 'update').map(({ text }) => text);
    expect(texts.toSorted()).toEqual(['identified', 'investigating']);
  });

  it('resolves a manual incident with `resolved`, and another status reopens it', async () => {
    const id = await newIncident();
    got(await publish(id, 'resolved'), 201);
    expect(await incident(id)).toMatchObject({ state: 'resolved', public_status: 'resolved' });
    got(await publish(id, 'monitoring'), 201);
    expect(await incident(id)).toMatchObject({ state: 'open', public_status: 'monitoring', resolved_at: null });
    expect(got(await client.get('/v1/incidents?state=open'), 200)).toContainEqual(expect.objectContaining({ id }));
  });

  it('does not reopen an incident beyond 100 unresolved ones', async () => {
    const crowded = await newTenant();
    const open = () => crowded.post('/v1/incidents', { title: 'Slow', impact: 'degraded' });
    const { id } = got(await open(), 201);
    const say = (status: string) =>
      crowded.post(`/v1/incidents/${id}/updates`, { status, message: 'Slow.', notify: false });
    got(await say('resolved'), 201);
    for (let i = 0; i < 100; i++) got(await open(), 201);
    expect(await say('monitoring')).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
    expect(await open()).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
  });

  it('does not resolve an automatic incident while a check is down, nor reopen it afterwards', async () => {
    const { id, push } = await automatic();
    got(await publish(id, 'investigating'), 201);
    expect(await publish(id, 'resolved')).toMatchObject({
      ...failure(409, 'CONFLICT'),
      body: { error: expect.stringMatching(/cannot be resolved while one of its checks is down/) },
    });
    await push(true);
    await eventually(async () => (await publish(id, 'resolved')).status === 201);
    expect(await publish(id, 'monitoring')).toMatchObject({
      ...failure(409, 'CONFLICT'),
      body: { error: expect.stringMatching(/was resolved at .* status resolved instead/) },
    });
    got(await publish(id, 'resolved', { message: 'Review: the disk was full.' }), 201);
    expect((await updates(id)).map(({ status }: { status: string }) => status)).toEqual([
      'resolved',
      'resolved',
      'investigating',
    ]);
  });

  it('is shown as edited after a change of its text, but not after an edit with the same text', async () => {
    const id = await newIncident();
    const made = got(await publish(id, 'identified'), 201);
    const path = `/v1/incidents/${id}/updates/${made.id}`;
    const edited = got(await client.put(path, { message: 'Card payments are slow.' }), 200);
    expect(edited).toEqual({ ...made, message: 'Card payments are slow.', edited_at: expect.any(String) });
    expect(got(await client.put(path, { message: 'Card payments are slow.' }), 200)).toEqual(edited);
    expect(await updates(id)).toEqual([edited]);
  });

  it('can be deleted; the public status is then that of the previous update', async () => {
    const id = await newIncident();
    const [first, second] = [got(await publish(id, 'investigating'), 201), got(await publish(id, 'identified'), 201)];
    const path = (update: { id: string }) => `/v1/incidents/${id}/updates/${update.id}`;
    expect(await client.del(path(second))).toMatchObject({ status: 204 });
    expect(await client.del(path(second))).toMatchObject(failure(404, 'NOT_FOUND'));
    expect((await incident(id)).public_status).toBe('investigating');
    expect(await client.del(path(first))).toMatchObject({ status: 204 });
    expect([(await incident(id)).public_status, await updates(id)]).toEqual([null, []]);
    const { body: audit } = await client.get(`/v1/audit?target=${id}`);
    expect(JSON.stringify(audit)).not.toContain('Payments are slow');
  });

  it('is limited to 100 per incident, also with concurrent requests', async () => {
    const id = await newIncident();
    const statuses: number[] = [];
    while (statuses.length < 104) {
      const added = await Promise.all(Array.from({ length: 8 }, () => publish(id, 'monitoring')));
      statuses.push(...added.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(100);
    const refused = await publish(id, 'monitoring');
    expect(refused).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
    expect(refused.body.error).toMatch(/has 100 public updates, the maximum\. Edit or delete one/);
    const [newest] = await updates(id);
    expect(await client.del(`/v1/incidents/${id}/updates/${newest.id}`)).toMatchObject({ status: 204 });
    got(await publish(id, 'monitoring'), 201);
  });
});

describe('an invalid public update', () => {
  it.each([
    ['an empty message', { message: '' }, /message: must have 1 to 4000 characters/],
    ['a blank message', { message: ' \n ' }, /message: must not be blank/],
    ['4,001 characters', { message: 'x'.repeat(4001) }, /message: must have 1 to 4000 characters/],
    ['a javascript: link', { message: 'See [here](JavaScript:alert(1))' }, /message: must not contain javascript:/],
    ['a data: link', { message: 'See data:text/html,<script>' }, /https:\/\/ addresses only/],
    ['reversed text', { message: 'a\u202egpj.exe' }, /message: must not contain control or invisible/],
    ['a status that does not exist', { status: 'fixed' }, /status/],
    ['no decision about notifications', { notify: undefined }, /notify/],
    ['an invalid component id', { component_ids: ['shop'] }, /component_ids\.0: must be the id of a component/],
    [
      'an unknown component',
      { component_ids: ['cmp_0000'] },
      /component_ids\.0: does not exist; GET \/v1\/status-pages/,
    ],
    ['an unknown property', { page_ids: [] }, /page_ids/],
  ])('is rejected with %s', async (_, change, error) => {
    expect(await publish(await newIncident(), 'identified', change)).toMatchObject({
      ...failure(400, 'VALIDATION_ERROR'),
      body: { error: expect.stringMatching(error) },
    });
  });

  it('is also rejected as an edit and for an unknown incident; an incident rejects unknown components', async () => {
    const id = await newIncident();
    const { id: update } = got(await publish(id, 'identified'), 201);
    const path = `/v1/incidents/${id}/updates/${update}`;
    expect(await client.put(path, { message: 'x'.repeat(4001) })).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(await client.put(path, { message: 'Slow', status: 'resolved' })).toMatchObject({
      body: { error: expect.stringMatching(/status/) },
    });
    const other = await newIncident();
    const stranger = await newTenant();
    for (const answer of [
      await publish('inc_0000', 'identified'),
      await client.put(`/v1/incidents/${other}/updates/${update}`, { message: 'Slow' }),
      await stranger.put(path, { message: 'Slow' }),
      await stranger.del(path),
    ]) {
      expect(answer).toMatchObject(failure(404, 'NOT_FOUND'));
    }
    const component_ids = ['cmp_0000'];
    for (const answer of [
      await client.post('/v1/incidents', { title: 'Slow', impact: 'none', component_ids }),
      await client.put(`/v1/incidents/${id}`, { component_ids }),
    ]) {
      expect(answer).toMatchObject({
        ...failure(400, 'VALIDATION_ERROR'),
        body: { error: expect.stringMatching(/component_ids\.0: does not exist/) },
      });
    }
  });
});

describe('the public title of an incident', () => {
  it('is unchanged unless it is sent', async () => {
    const id = await newIncident();
    const put = async (body: object) => got(await client.put(`/v1/incidents/${id}`, body), 200).public_title;
    expect(await put({ public_title: 'Payments are slow' })).toBe('Payments are slow');
    expect(await put({ impact: 'none' })).toBe('Payments are slow');
    expect(await put({ public_title: null })).toBe(null);
  });
});

describe('an update on a status page', () => {
  let pages = 0;
  /** Creates a public page with two components that are not monitored. */
  async function newPage(of = client) {
    const slug = `updates-${Date.now() % 1e6}-${++pages}`;
    const components = [{ name: 'Checkout' }, { name: 'Search' }];
    const body = { slug, title: 'Acme status', visibility: 'public', groups: [{ name: 'Shop', components }] };
    const { groups, url } = got(await of.post('/v1/status-pages', body), 201);
    // biome-ignore lint/suspicious/noExplicitAny: a response
    const json = async (): Promise<any> => (await fetch(`${url}.json`)).json();
    return { components: groups[0].components.map(({ id }: { id: string }) => id) as string[], json, url };
  }

  it('appears within seconds, with the public title of the incident and never with the internal one', async () => {
    const page = await newPage();
    const [checkout] = page.components;
    const secret = `canary-${Date.now()}`;
    const made = { title: secret, impact: 'outage', component_ids: [checkout], public_title: 'Payments fail' };
    const { id } = got(await client.post('/v1/incidents', made), 201);
    got(await client.post(`/v1/incidents/${id}/notes`, { text: secret }), 201);
    const { id: update } = got(await publish(id, 'identified', { message: 'Cards are declined.' }), 201);
    const shown = await eventually(async () => {
      const view = await page.json();
      return view.incidents.length > 0 && view;
    });
    expect(shown).toMatchObject({
      state: 'partial_outage',
      incidents: [
        {
          ...{ id, title: 'Payments fail', status: 'identified', impact: 'outage', component_ids: [checkout] },
          updates: [{ id: update, status: 'identified', message: 'Cards are declined.', edited_at: null }],
        },
      ],
    });
    expect(JSON.stringify(shown)).not.toContain(secret);
    got(await client.put(`/v1/incidents/${id}`, { hidden: true }), 200);
    await eventually(async () => (await page.json()).incidents.length === 0);
  });

  it('is only on the pages of its components; a component on another page must be in the incident first', async () => {
    const [page, other] = [await newPage(), await newPage()];
    const id = await newIncident();
    got(await publish(id, 'identified', { component_ids: [page.components[0]] }), 201);
    expect(await publish(id, 'identified', { component_ids: [page.components[1], other.components[0]] })).toMatchObject(
      {
        ...failure(400, 'VALIDATION_ERROR'),
        body: {
          error: expect.stringMatching(/component_ids\.1: is on another status page than the components/),
        },
      },
    );
    const stranger = await newPage(await newTenant());
    expect(await publish(id, 'identified', { component_ids: [stranger.components[0]] })).toMatchObject({
      body: { error: expect.stringMatching(/component_ids\.0: does not exist/) },
    });
    const component_ids = [page.components[0], other.components[0]];
    got(await client.put(`/v1/incidents/${id}`, { component_ids }), 200);
    got(await publish(id, 'monitoring', { component_ids: [other.components[0]] }), 201);
    const statuses = async (of: typeof page) => {
      const [incident] = (await of.json()).incidents;
      return incident?.updates.map(({ status }: { status: string }) => status).join();
    };
    await eventually(async () => (await statuses(other)) === 'monitoring');
    expect(await statuses(page)).toBe('identified');
  });
});

describe('a feed of a status page', () => {
  it('is Atom, with the update, and is answered with 304 until it changes; maintenance is a calendar', async () => {
    const slug = `feed-${Date.now() % 1e6}`;
    const groups = [{ name: 'Shop', components: [{ name: 'Checkout' }] }];
    const body = { slug, title: 'Acme status', visibility: 'public', groups };
    const page = got(await client.post('/v1/status-pages', body), 201);
    const id = await newIncident();
    const component_ids = [page.groups[0].components[0].id];
    const update = got(await publish(id, 'identified', { component_ids }), 201);
    const feed = await eventually(async () => {
      const response = await fetch(`${page.url}/feed.atom`);
      const text = await response.text();
      return text.includes(`<id>${page.url}#${update.id}</id>`) && { response, text };
    });
    expect(feed.response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    expect(feed.text).toContain(`<updated>${update.at}</updated>`);
    const headers = { 'if-none-match': feed.response.headers.get('etag')! };
    expect((await fetch(`${page.url}/feed.atom`, { headers })).status).toBe(304);
    const calendar = await fetch(`${page.url}/maintenance.ics`);
    expect(calendar.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(await calendar.text()).toMatch(/^BEGIN:VCALENDAR\r\n/);
  });
});
