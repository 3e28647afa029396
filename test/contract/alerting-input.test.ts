import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, type Client, newTenant } from '#test/support/client.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';

let client: Client;
let check: string;
let channel: string;
const url = 'https://hooks.example.com/x';
beforeAll(async () => {
  client = await newTenant();
  check = (await newCheck(client, { name: 'cart' })).id;
  channel = got(
    await client.post(`/v1/checks/${check}/policy/channels`, { channel_type: 'slack', config: { url } }),
    201,
  ).id;
});

const fromNow = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const postWindow = (more: object) =>
  client.post('/v1/windows', {
    name: 'move',
    scope: { all: true },
    starts_at: fromNow(60),
    ends_at: fromNow(3600),
    ...more,
  });
const postNightly = (more: object) =>
  client.post('/v1/windows', {
    ...{ name: 'patches', scope: { all: true }, cron: '30 2 * * sat', duration_seconds: 3600 },
    ...more,
  });
const postEscalation = (...steps: object[]) => client.post(`/v1/checks/${check}/policy`, { escalation: steps });
const postChannel = (config: object) =>
  client.post(`/v1/checks/${check}/policy/channels`, { channel_type: 'slack', config: { url, ...config } });

type Row = [what: string, send: () => Promise<ApiResponse>, path: string, remedy: RegExp];

const rows: Row[] = [
  [
    'a group that requires more members than it has',
    async () => {
      const [shop, db] = [await newEntity(client), await newEntity(client)];
      const relation = { from_entity_id: shop.id, to_entity_id: db.id, relation_type: 'depends_on' };
      return client.post('/v1/relations', { ...relation, group: 'dbs', required: 2 });
    },
    'required',
    /the size of the group dbs is 1 including this relation; create the other relations first/,
  ],
  [
    'a title with an unknown variable',
    () => postChannel({ title_template: '{{entity}} is down' }),
    'config.title_template',
    /\{\{entity\}\}, which is not a variable; known are entity_name/,
  ],
  [
    'a text with a section that is not closed',
    () => postChannel({ body_template: '{{#if error}}why: {{error}}' }),
    'config.body_template',
    /\{\{\/if\}\}/,
  ],
  [
    'a text with half a variable',
    () => postChannel({ body_template: 'it is {{state' }),
    'config.body_template',
    /write \{\{state\}\}/,
  ],
  [
    'a window of no length',
    () => {
      const at = fromNow(60);
      return postWindow({ starts_at: at, ends_at: at });
    },
    'ends_at',
    /must be after starts_at/,
  ],
  [
    'a window of more than 31 days',
    () => postWindow({ ends_at: fromNow(32 * 86_400) }),
    'ends_at',
    /longer than 31 days/,
  ],
  [
    'a recurring window of no length',
    () => postNightly({ duration_seconds: 0 }),
    'duration_seconds',
    /shorter than 60 seconds/,
  ],
  [
    'a recurring window of more than 31 days',
    () => postNightly({ duration_seconds: 32 * 86_400 }),
    'duration_seconds',
    /longer than 31 days/,
  ],
  [
    'a window in an unknown time zone',
    () => postNightly({ time_zone: 'Europe/Atlantis' }),
    'time_zone',
    /is not an IANA time zone; (did you mean|write one such as)/,
  ],
  [
    'a window whose scope has only dependents',
    () => postWindow({ scope: { include_dependents: true } }),
    'scope',
    /\{"all": true\} selects all checks/,
  ],
  [
    'steps out of order',
    () => postEscalation({ after_seconds: 600, channel_ids: [channel] }, { after_seconds: 60, channel_ids: ['chn_2'] }),
    'escalation.1.after_seconds',
    /must be more than the 600 of the step before; put the steps in order of time/,
  ],
  [
    'a step with a deleted channel',
    async () => {
      const { id } = got(await postChannel({ url: `${url}/gone` }), 201);
      got(await client.del(`/v1/checks/${check}/policy/channels/${id}`), 204);
      return postEscalation({ after_seconds: 60, channel_ids: [id] });
    },
    'escalation.0.channel_ids.0',
    /GET \/v1\/notify\/channels lists them/,
  ],
  [
    'a step without channels',
    () => postEscalation({ after_seconds: 60, channel_ids: [] }),
    'escalation.0.channel_ids',
    /at least one channel/,
  ],
  [
    'a channel in two steps',
    () => postEscalation({ after_seconds: 60, channel_ids: [channel] }, { after_seconds: 90, channel_ids: [channel] }),
    'escalation.1.channel_ids.0',
    /is in step 1 already; a channel can be in only one step/,
  ],
  [
    'an acknowledgement that ends in the past',
    async () => {
      const { id } = await newCheck(client, { failure_threshold: 1 });
      for (const success of [true, false])
        got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 1 }), 201);
      return client.post(`/v1/checks/${id}/acknowledge`, { until: fromNow(-60) });
    },
    'until',
    /future|passed/,
  ],
  [
    'a remediation with text for alert_after_remediation',
    () =>
      client.post('/v1/actions', {
        name: 'Restart',
        url: 'https://ci.example.com/x',
        trigger_type: 'state_change',
        trigger_to_state: 'down',
        check_id: check,
        remediation: { alert_after_remediation: 'yes' },
      }),
    'remediation.alert_after_remediation',
    /must be true or false/,
  ],
];

describe('an invalid alerting setting', () => {
  it.each(rows)('is rejected with a code, its path and a remedy: %s', async (_what, send, path, remedy) => {
    const { status, body } = await send();
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
    const detail = body.details.find((one: { path: string }) => one.path === path);
    expect(detail?.message ?? JSON.stringify(body.details)).toMatch(remedy);
  });

  it('is rejected with 409 and a message: an acknowledgement of a check that is up', async () => {
    const { id } = await newCheck(client);
    got(await client.post(`/v1/checks/${id}/results`, { success: true, latency_ms: 1 }), 201);
    const { status, body } = await client.post(`/v1/checks/${id}/acknowledge`, {});
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'CONFLICT' });
    expect(body.error).toMatch(/has been up since .*: only a failing check can be acknowledged\./);
  });
});

describe('a selection that matches no check', () => {
  const nowhere = { labels: { team: 'nowhere' } };
  it.each<[string, () => Promise<ApiResponse>]>([
    ['is accepted with a notice in a window', () => postWindow({ scope: nowhere })],
    [
      'is accepted with a notice in a silence',
      () => client.post('/v1/notify/silences', { applies_to: nowhere, until: fromNow(60), reason: '' }),
    ],
    [
      'is accepted with a notice in an account channel',
      () =>
        client.post('/v1/notify/channels', {
          ...{ name: 'Nowhere', channel_type: 'slack', config: { url }, applies_to: nowhere },
        }),
    ],
  ])('%s', async (_what, send) => {
    expect(got(await send(), 201).notice).toBe(
      'No check matches this selection yet. It applies to checks that are added later.',
    );
  });
});
