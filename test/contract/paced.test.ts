import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { everything, got, newCheck } from '#test/support/fleet.ts';

const CHECKS = 8;

/** Starts a server that, like Slack, accepts one request a second and responds to more with 429 and Retry-After: 1. */
async function oneASecond() {
  const taken: string[] = [];
  let requests = 0;
  let free = 0;
  const server = createServer((request, response) => {
    requests++;
    request.resume();
    if (Date.now() < free) return response.writeHead(429, { 'retry-after': '1' }).end('rate_limited');
    free = Date.now() + 1000;
    taken.push(String(request.headers['x-service-delivery']));
    return response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.77.0.1', resolve));
  return {
    url: `http://127.77.0.1:${(server.address() as AddressInfo).port}/services/T0/B0/one`,
    taken,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it('delivers many concurrent alerts, once each, to a URL that accepts one a second, without flooding it', async () => {
  await using slack = await oneASecond();
  const client = await newTenant();
  const ids: string[] = [];
  for (let i = 0; i < CHECKS; i++) {
    const { id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 3600 });
    const channel = { channel_type: 'slack', config: { url: slack.url } };
    got(await client.post(`/v1/checks/${id}/policy/channels`, channel), 201);
    ids.push(id);
  }
  const failure = { success: false, latency_ms: 1 };
  for (const response of await Promise.all(ids.map((id) => client.post(`/v1/checks/${id}/results`, failure)))) {
    got(response, 201);
  }
  const log = await eventually(async () => {
    const found = await everything(client, '/v1/notify/logs');
    return found.length === CHECKS && found.every(({ status }) => status === 'sent') && found;
  }, 18_000);
  expect(log.map(({ id }) => id).sort()).toEqual([...slack.taken].sort());
  for (const delivery of log) expect(delivery).toMatchObject({ attempts: 1, error: '', kind: 'state_change' });
  // Each alert is rejected at most once before the limit is known, and rarely again if it is sent slightly early.
  // Without pacing, each second all waiting alerts would be sent and one accepted: 8 + 7 + … + 1 = 36 requests.
  expect(slack.requests()).toBeLessThanOrEqual(3 * CHECKS);
});
