import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { pushTo } from '#test/support/failing-check.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';

const ALL = '/v1/notify/channels';

let client: Client;
const receiver = receiving();
beforeAll(async () => {
  client = await newTenant();
});

const slack = (path: string) => ({ channel_type: 'slack', config: { url: receiver().url + path } });
const pagerduty = { channel_type: 'pagerduty', config: { routing_key: 'a'.repeat(32) } };

/** Creates a push check that is up and goes down at its first failure. */
async function upCheck(): Promise<string> {
  const { id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 3600 });
  await pushTo(client, id, true);
  return id;
}

describe('group_seconds of a channel', () => {
  it('combines alerts of several checks in one message; each delivery names the delivery that sent it', async () => {
    const channel = got(await client.post(ALL, { name: 'On call', ...slack('/combined'), group_seconds: 2 }), 201);
    expect(channel.group_seconds).toBe(2);
    const checks = [await upCheck(), await upCheck(), await upCheck()];
    for (const id of checks) await pushTo(client, id, false);
    const message = await eventually(() => receiver().received.find((one) => one.path === '/combined'));
    expect(JSON.parse(message.body).text).toBe(':red_circle: 3 alerts: 3 down');
    for (const id of checks) expect(message.body).toContain(`/#/checks/${id}>`);
    const sending = message.headers['x-service-delivery'];
    const logged = await eventually(async () => {
      const all = got(await client.get(`/v1/notify/logs?channel_id=${channel.id}`), 200);
      return all.every((one: { status: string }) => one.status === 'sent') && all;
    });
    expect(logged).toMatchObject(checks.map(() => ({ combined_in: sending, attempts: 1 })));
    got(await client.del(`${ALL}/${channel.id}`), 204);
  });

  it('is changed, shown and recorded in the audit log, for channels of the account and of a check', async () => {
    const check = await upCheck();
    const made = [
      [ALL, got(await client.post(ALL, { name: 'On call', ...slack('/a'), group_seconds: 5 }), 201)],
      [
        `/v1/checks/${check}/policy/channels`,
        got(await client.post(`/v1/checks/${check}/policy/channels`, { ...slack('/b'), group_seconds: 5 }), 201),
      ],
    ] as const;
    for (const [list, { id }] of made) {
      const put = async (body: object) => got(await client.put(`${list}/${id}`, body), 200).group_seconds;
      expect(await put({ config: {} })).toBe(5);
      expect(await put({ group_seconds: 30 })).toBe(30);
      expect(await put({ group_seconds: 0 })).toBe(0);
      const [, entry] = got(await client.get(`/v1/audit?target=${id}&action=channel.update`), 200);
      expect(entry.changes).toEqual([{ path: 'group_seconds', from: 5, to: 30 }]);
    }
  });

  it.each([61, -1, 1.5, '5'])('cannot be %j', async (group_seconds) => {
    expect(await client.post(ALL, { name: 'x', ...slack('/x'), group_seconds })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'group_seconds'),
    );
  });

  it('is rejected for PagerDuty, which opens a case per check', async () => {
    const refused = await client.post(ALL, { name: 'x', ...pagerduty, group_seconds: 5 });
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('group_seconds')]);
    const { id } = got(await client.post(ALL, { name: 'x', ...pagerduty }), 201);
    const changed = await client.put(`${ALL}/${id}`, { group_seconds: 5 });
    expect([changed.status, changed.body.error]).toEqual([400, expect.stringContaining('group_seconds')]);
  });
});
