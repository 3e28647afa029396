import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, newTenant } from '#test/support/client.ts';
import { got, newAction, runAction } from '#test/support/fleet.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

let client: Client;
let ci: WebhookReceiver;
/** Listens on a forbidden address: 127.0.0.1. */
let hidden: WebhookReceiver;
beforeAll(async () => {
  client = await newTenant();
  ci = await startReceiver({ host: '127.77.0.1' });
  hidden = await startReceiver();
});
afterAll(async () => {
  await ci.close();
  await hidden.close();
});

const at = (path: string) => ci.received.filter((one) => one.path.startsWith(path));

describe('an action that targets a private address', () => {
  it('does not follow a redirect to it', async () => {
    ci.behave({ status: 302, headers: { location: `${hidden.url}/secret` } }, { status: 200 });
    const execution = await runAction(client, await newAction(client, { url: `${ci.url}/moved` }));
    expect(execution).toMatchObject({ dispatch_status: 'failed', status_code: 302 });
    expect(execution.error_message).toContain('redirects are not followed');
    expect(hidden.received).toEqual([]);
  });

  it.each([
    ['a host', 'http://{{host}}:{{port}}/x', () => ({ host: '127.0.0.1', port: new URL(hidden.url).port })],
    ['a host and a port', 'http://{{host}}/x', () => ({ host: new URL(hidden.url).host })],
    ['a whole URL', '{{url}}', () => ({ url: `${hidden.url}/x` })],
    ['the part after a host', 'http://127.77.0.1{{rest}}', () => ({ rest: `@${new URL(hidden.url).host}/` })],
    ['a number as host', 'http://{{host}}/', () => ({ host: '2130706433' })],
    ['the cloud metadata address', 'http://{{host}}/latest', () => ({ host: '169.254.169.254' })],
    ['localhost', 'http://{{host}}/', () => ({ host: 'localhost' })],
    ['no value', 'http://{{host}}/', () => ({})],
  ])('is blocked and recorded when a variable holds %s', async (_what, url, vars) => {
    const id = await newAction(client, { url });
    const execution = await runAction(client, id, vars());
    expect(execution).toMatchObject({ dispatch_status: 'blocked', status_code: 0, response_snippet: '' });
    expect(execution.error_message).toMatch(/^refused: \S+ \S+/);
    expect(got(await client.get(`/v1/actions/${id}/executions`), 200)).toEqual([execution]);
    expect(hidden.received).toEqual([]);
  });

  it('is sent when the variable holds an allowed address instead', async () => {
    const id = await newAction(client, { url: 'http://{{host}}:{{port}}/by-variable' });
    const { hostname: host, port } = new URL(ci.url);
    expect(await runAction(client, id, { host, port })).toMatchObject({ dispatch_status: 'success' });
    expect(at('/by-variable')).toHaveLength(1);
  });
});

describe('headers of an action', () => {
  const headers = { Authorization: 'Bearer ADMINONLY' };
  let thief: WebhookReceiver;
  beforeAll(async () => {
    thief = await startReceiver({ host: '127.77.0.9' });
  });
  afterAll(() => thief.close());

  it.each([
    ['as host, port and path', () => ({ region: `${new URL(thief.url).host}/?` })],
    ['as a host', () => ({ region: '127.77.0.9' })],
  ])('are not sent to a host that the caller chooses by a variable, %s', async (_what, vars) => {
    const url = `http://{{region}}:${new URL(thief.url).port}/deploy`;
    const id = await newAction(client, { url, headers, allowed_hosts: ['127.77.0.1'] });
    expect(await runAction(client, id, vars())).toMatchObject({ dispatch_status: 'blocked', status_code: 0 });
    expect(thief.received).toEqual([]);
  });

  it('are not sent when the caller sets a built-in variable that is part of the host', async () => {
    const url = `http://{{entity_name}}:${new URL(thief.url).port}/deploy`;
    const id = await newAction(client, { url, headers, allowed_hosts: ['*.example.com', '127.77.0.9'] });
    expect(await runAction(client, id, { entity_name: '127.77.0.9' })).toMatchObject({
      dispatch_status: 'blocked',
      error_message: expect.stringContaining('{{entity_name}}'),
    });
    expect(thief.received).toEqual([]);
  });

  it('are sent to the allowed hosts', async () => {
    const { hostname: host, port } = new URL(ci.url);
    const id = await newAction(client, { url: `http://{{host}}:${port}/allowed`, headers, allowed_hosts: [host] });
    expect(await runAction(client, id, { host })).toMatchObject({ dispatch_status: 'success' });
    expect(at('/allowed')[0]!.headers.authorization).toBe('Bearer ADMINONLY');
  });
});
