import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { eventually, nextMillisecond } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';

let client: Client;
const receiver = receiving();
beforeAll(async () => {
  client = await newTenant();
});

type Incident = { id: string; state: string; [member: string]: unknown };

const push = async (id: string, success: boolean) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 5, error_message: 'disk full' }), 201);
const incident = async (id: string) => got(await client.get(`/v1/incidents/${id}`), 200);
const incidentsOf = async (entity: string, query = ''): Promise<Incident[]> =>
  got(await client.get(`/v1/incidents?entity_id=${entity}${query}`), 200);
const timeline = async (id: string, query = ''): Promise<{ kind: string; [member: string]: unknown }[]> =>
  got(await client.get(`/v1/incidents/${id}/timeline${query}`), 200);

let channels = 0;

/** Creates a push check that is up and has a channel with its own path. */
async function watched() {
  const { id, entity_id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 3600, name: 'backup' });
  got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 0 }), 200);
  const path = `/incident-${++channels}`;
  const channel = { channel_type: 'slack', config: { url: receiver().url + path } };
  const { id: channel_id } = got(await client.post(`/v1/checks/${id}/policy/channels`, channel), 201);
  await push(id, true);
  return { id: id as string, entity_id: entity_id as string, channel_id };
}

/** Creates a check that is down, and returns it with the id of its incident. */
async function failed() {
  const check = await watched();
  await push(check.id, false);
  const found = await eventually(async () => (await incidentsOf(check.entity_id))[0]);
  return { ...check, incident_id: found.id };
}

describe('an incident', () => {
  it('opens with a failure', async () => {
    const { id, entity_id, incident_id } = await failed();
    const [down] = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    const found = await incident(incident_id);
    expect(found).toMatchObject({
      ...{ origin: 'automatic', state: 'open', impact: 'outage', root_entity_id: entity_id, hidden: false },
      ...{ title: `${found.root_entity_name} is down`, acknowledged_at: null, resolved_at: null, resolved_by: null },
      affected: { count: 0, items: [] },
      entities: [{ entity_id, entity_name: found.root_entity_name, state: 'down', since: down.timestamp }],
      unrelated: [],
      resolves_at: null,
      acknowledgement: null,
    });
    expect(found.started_at <= down.timestamp).toBe(true);
    const entries = await eventually(async () => {
      const all = await timeline(incident_id);
      return all.length === 2 && all;
    });
    expect(entries.map(({ kind }) => kind).sort()).toEqual(['alert', 'opened']);
    expect(entries.find(({ kind }) => kind === 'opened')).toMatchObject({
      id: down.transition_id,
      transition: { check_id: id, check_to_state: 'down', error_message: 'disk full' },
    });
  });

  it('names the notified channels and their deliveries', async () => {
    const { channel_id, incident_id } = await failed();
    const { notified } = await eventually(async () => {
      const found = await incident(incident_id);
      return found.notified.length > 0 && found;
    });
    expect(notified).toEqual([
      {
        channel_type: 'slack',
        channel_ids: [channel_id],
        delivery_id: expect.stringMatching(/^dlv_/),
        at: expect.any(String),
      },
    ]);
    expect(await client.get(`/v1/notify/logs/${notified[0].delivery_id}`)).toMatchObject({ status: 200 });
  });

  it('continues when an entity fails again soon after recovery', async () => {
    const { id, entity_id, incident_id } = await failed();
    await push(id, true);
    await push(id, false);
    await eventually(async () => (await timeline(incident_id)).length === 6);
    expect(await incidentsOf(entity_id)).toHaveLength(1);
  });

  it('shows after a recovery when it will resolve, until the entity is down again', async () => {
    const { id, incident_id } = await failed();
    await push(id, true);
    const { resolves_at } = await eventually(async () => {
      const found = await incident(incident_id);
      return found.resolves_at !== null && found;
    });
    expect(Date.parse(resolves_at)).toBeGreaterThan(Date.now() - 60_000);
    await push(id, false);
    await eventually(async () => (await incident(incident_id)).resolves_at === null);
  });

  it('is one per entity, even if several of its checks fail', async () => {
    const { entity_id, incident_id } = await failed();
    const body = { entity_id, check_type: 'push', interval_seconds: 3600, failure_threshold: 1, name: 'restore' };
    const other = got(await client.post('/v1/checks', body), 201);
    await push(other.id, false);
    await eventually(async () => (await timeline(incident_id)).some(({ kind }) => kind === 'transition'));
    expect(await incidentsOf(entity_id)).toHaveLength(1);
  });

  it('does not open for a disabled check', async () => {
    const check = await watched();
    got(await client.put(`/v1/checks/${check.id}`, { enabled: false }), 200);
    const { entity_id } = await failed();
    expect(await incidentsOf(entity_id)).toHaveLength(1);
    expect(await incidentsOf(check.entity_id)).toEqual([]);
  });

  it('adds its changes to the audit log', async () => {
    const { id } = got(await client.post('/v1/incidents', { title: 'Slow', impact: 'none' }), 201);
    await nextMillisecond();
    await client.post(`/v1/incidents/${id}/notes`, { text: 'looking' });
    await nextMillisecond();
    await client.post(`/v1/incidents/${id}/resolve`);
    const actions = await eventually(async () => {
      const entries = got(await client.get(`/v1/audit?target=${id}&order=desc`), 200) as { action: string }[];
      return entries.length === 3 && entries.map(({ action }) => action);
    });
    expect(actions).toEqual(['incident.resolve', 'incident.note', 'incident.create']);
  });
});

describe('the acknowledgement of an incident', () => {
  it('covers the notified failures of the incident; a second request does not replace it', async () => {
    const { id, incident_id } = await failed();
    const path = `/v1/incidents/${incident_id}/acknowledge`;
    const record = got(await client.post(path, { note: 'enlarging the disk' }), 200);
    expect(record).toMatchObject({ state: 'acknowledged', acknowledged_by: expect.any(String) });
    const check = got(await client.get(`/v1/checks/${id}`), 200);
    expect(check.acknowledgement).toMatchObject({ note: 'enlarging the disk', by: record.acknowledged_by });
    const other = await keyOf(client, { scopes: ['respond'] });
    expect(got(await other.post(path, { note: 'no, mine' }), 200).acknowledged_at).toBe(record.acknowledged_at);
    expect((await incident(incident_id)).acknowledgement).toMatchObject({ note: 'enlarging the disk', via: 'api' });
    const entries = (await timeline(incident_id)).filter(({ kind }) => kind === 'acknowledged');
    expect(entries).toEqual([expect.objectContaining({ by: record.acknowledged_by, text: 'enlarging the disk' })]);
  });

  it('exists if the check was acknowledged right after the failure', async () => {
    const { id, entity_id } = await watched();
    await push(id, false);
    got(await client.post(`/v1/checks/${id}/acknowledge`, { note: 'at once' }), 200);
    const [found] = await eventually(async () => {
      const all = await incidentsOf(entity_id);
      return all.length > 0 && all;
    });
    expect(found).toMatchObject({ state: 'acknowledged' });
    expect((await timeline(found!.id)).filter(({ kind }) => kind === 'acknowledged')).toHaveLength(1);
  });

  it('begins when the check of the root cause is acknowledged, and ends when it is unacknowledged', async () => {
    const { id, incident_id } = await failed();
    got(await client.post(`/v1/checks/${id}/acknowledge`, { note: 'mine' }), 200);
    expect(await incident(incident_id)).toMatchObject({ state: 'acknowledged', acknowledgement: { note: 'mine' } });
    expect(await client.del(`/v1/checks/${id}/acknowledge`)).toMatchObject({ status: 204 });
    expect(await incident(incident_id)).toMatchObject({ state: 'open', acknowledgement: null });
  });
});

describe('POST /v1/incidents/{id}/resolve', () => {
  it('returns 409 while a check of the incident is down, and resolves the incident when all are up', async () => {
    const { id, entity_id, incident_id } = await failed();
    const path = `/v1/incidents/${incident_id}/resolve`;
    expect(await client.post(path)).toMatchObject({
      ...failure(409, 'CONFLICT'),
      body: { error: expect.stringContaining('acknowledge it') },
    });
    await push(id, true);
    const ended = await eventually(async () => {
      const response = await client.post(path);
      return response.status === 200 && response.body;
    });
    expect(ended).toMatchObject({ state: 'resolved', resolved_by: expect.any(String) });
    expect(got(await client.post(path), 200)).toEqual(ended);
    expect(await client.post(`/v1/incidents/${incident_id}/acknowledge`)).toMatchObject(failure(409, 'CONFLICT'));
    await push(id, false);
    const [next] = await eventually(async () => {
      const all = await incidentsOf(entity_id);
      return all.length === 2 && all;
    });
    expect(next).toMatchObject({ state: 'open' });
    expect(next!.id).not.toBe(incident_id);
  });
});

describe('GET /v1/incidents', () => {
  it('filters by state, origin and time, newest first', async () => {
    const tenant = await newTenant();
    const make = async (title: string) => {
      const made = got(await tenant.post('/v1/incidents', { title, impact: 'outage' }), 201);
      await nextMillisecond();
      return made as Incident & { created_at: string };
    };
    const [first, second, third] = [await make('first'), await make('second'), await make('third')];
    got(await tenant.post(`/v1/incidents/${first.id}/resolve`), 200);
    got(await tenant.post(`/v1/incidents/${second.id}/acknowledge`), 200);
    const ids = async (query: string) =>
      (got(await tenant.get(`/v1/incidents?${query}`), 200) as Incident[]).map(({ id }) => id);
    expect(await ids('')).toEqual([third.id, second.id, first.id]);
    expect(await ids('state=unresolved')).toEqual([third.id, second.id]);
    expect(await ids('state=open')).toEqual([third.id]);
    expect(await ids('state=acknowledged')).toEqual([second.id]);
    expect(await ids('state=resolved&origin=manual')).toEqual([first.id]);
    expect(await ids('origin=automatic')).toEqual([]);
    expect(await ids(`since=${second.created_at}&until=${third.created_at}`)).toEqual([second.id]);
    expect(await ids(`until=${second.created_at}&state=unresolved`)).toEqual([]);
    expect(await ids('limit=1')).toEqual([third.id]);
  });

  it('returns only incidents of the account', async () => {
    const { incident_id } = await failed();
    const stranger = await newTenant();
    expect(got(await stranger.get('/v1/incidents'), 200)).toEqual([]);
    for (const path of ['', '/timeline'])
      expect(await stranger.get(`/v1/incidents/${incident_id}${path}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await stranger.post(`/v1/incidents/${incident_id}/resolve`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});
