import { createHash } from 'node:crypto';
import { startHost } from '#infra/local/host.ts';
import type { GivenPorts } from '#infra/local/ports.ts';
import { readHostSettings } from '#infra/local/settings.ts';
import { createAccount } from '#lib/access/change-account.ts';
import { allRoutes } from '#lib/all-routes.ts';
import type { DeliveryKind } from '#lib/channels/alert.ts';
import { NetError } from '#lib/net/net.ts';
import { makeIds } from '#lib/platform/ids.ts';
import { makeLog } from '#lib/platform/log.ts';
import type { Clock, Ids } from '#lib/platform/ports.ts';
import { type Call, WALK_SETTINGS, walk } from './example-requests.ts';
import { providerReply } from './identity-provider.ts';
import { type Example, endpointOf } from './openapi.ts';

/** Creates a clock that only `step` moves, so that every walk has the same times. */
function steppedClock(start: number): Clock & { step(ms: number): void } {
  let now = start;
  return {
    now: () => now,
    sleep: () => new Promise(setImmediate),
    stalled: () => 0,
    step: (ms) => {
      now += ms;
    },
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Creates ids and raw keys that are the same in every walk: a sequence per prefix. */
function idsOf(clock: Clock): Ids {
  const counts = new Map<string, number>();
  const drawn = (kind: string) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return makeIds(clock, (bytes) => digest(`${kind} ${count}`).subarray(0, bytes));
  };
  return {
    ...makeIds(clock),
    id: (prefix) => drawn(prefix).id(prefix),
    secret: () => drawn('secret').secret(),
    uuid: () => drawn('uuid').uuid(),
    shortSecret: () => drawn('short secret').shortSecret(),
  };
}

/** Id: prefix, ten characters of time, random part. */
const ID = /\b([a-z]{3}_[0-9a-z]{10})([0-9a-z]{16})\b/g;

/** User id in base64url, as in passkeys: 30 characters in 40. */
const HANDLE = /\bdXNyXz[\w-]{34}\b/g;

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** Replaces random parts of ids with parts that follow from the order of appearance, the same in every walk. */
function withSteadyIds(examples: ReadonlyMap<string, Example>): Map<string, Example> {
  const steady = new Map<string, string>();
  const withSteady = (text: string) =>
    text.replace(ID, (id, start: string) => {
      if (!steady.has(id)) steady.set(id, start + digest(`id ${steady.size}`).toString('hex').slice(0, 16));
      return steady.get(id)!;
    });
  const withSteadyHandles = JSON.stringify([...examples]).replace(HANDLE, (handle) =>
    Buffer.from(withSteady(Buffer.from(handle, 'base64url').toString())).toString('base64url'),
  );
  const uuids = new Map<string, string>();
  const whole = withSteady(withSteadyHandles).replace(UUID, (id) => {
    if (!uuids.has(id)) uuids.set(id, digest(`request ${uuids.size}`).toString('hex'));
    return uuids.get(id)!.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  });
  return new Map(JSON.parse(whole));
}

const REPLY = '{"queued": true}';

/** Network in which every host replies immediately; no request leaves this machine. */
export const fakeNet: GivenPorts['net'] = {
  http: async (request) =>
    providerReply(request) ?? {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: REPLY,
      latency_ms: 42,
      ...(request.excerpt_bytes !== undefined && { excerpt: { text: REPLY, bytes: REPLY.length } }),
    },
  open: () => Promise.reject(new NetError('connect', 'no listener')),
  resolve: async () => ({ values: ['192.0.2.1'], latency_ms: 3 }),
  guard: async () => {},
};

/** All endpoints except the OpenAPI document, which does not contain itself. */
const endpoints = allRoutes.map(endpointOf).filter((endpoint) => endpoint !== 'GET /v1/openapi.json');

/** Replacements of values that differ in each recording, because queues and ticks write them. */
const UNSTABLE: Record<string, unknown> = { published_at: null, emitted_until: '2026-11-21T08:02:00.000Z' };
const stable = (name: string, value: unknown): unknown => (value && name in UNSTABLE ? UNSTABLE[name] : value);

/** Calls every endpoint of a service in this process over HTTP. Returns the exchanges by endpoint. */
export async function recordExamples(): Promise<Map<string, Example>> {
  const clock = steppedClock(Date.UTC(2026, 10, 21, 8));
  const { settings } = readHostSettings(WALK_SETTINGS);
  const world: GivenPorts = { clock, ids: idsOf(clock), net: fakeNet };
  const service = await startHost({
    settings,
    log: makeLog('error'),
    dir: undefined,
    host: '127.0.0.1',
    port: 0,
    world,
  });
  try {
    const { key } = await createAccount(service, { email: 'ann@example.com', name: 'Example Inc' });
    const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const response = await fetch(service.url + path, {
        method,
        redirect: 'manual',
        headers: { authorization: `Bearer ${key.key}`, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      const type = response.headers.get('content-type') ?? '';
      // A whole page would be longer than all other examples.
      const example = type.startsWith('text/html') ? text.slice(0, text.indexOf('>') + 1) : text;
      return {
        body: text === '' ? undefined : type.startsWith('text/') ? example : JSON.parse(text, stable),
        cookies: response.headers.getSetCookie(),
      };
    };
    const found = new Map<string, Example>();
    const call: Call = async (endpoint, path, request, headers) => {
      const [method = ''] = endpoint.split(' ');
      if (method !== 'GET') clock.step(1000);
      const answer = await send(method, path, request, headers);
      const follows = FOLLOWS[endpoint];
      if (follows) {
        // The alert waits until its cause is evaluated, or until its reserved send time.
        clock.step(2000);
        await until('the alert was sent', async () => {
          const { body } = await send('GET', '/v1/notify/logs');
          const alerts = body.filter(({ kind }: { kind: string }) => kind === follows.alert);
          return alerts.length > 0 && alerts.every(({ status }: { status: string }) => status === 'sent');
        });
        await until('the incident followed', async () => {
          const { body } = await send('GET', '/v1/incidents?origin=automatic');
          return body.length > 0 && body.every(({ state }: { state: string }) => state === follows.incident);
        });
      }
      if (answer.body?.execution_mode === 'pull' && answer.body.enabled && method !== 'GET')
        await until('the check was probed', async () => {
          const { body } = await send('GET', `/v1/checks/${answer.body.id}`);
          return body.last_result !== null;
        });
      found.set(endpoint, { ...(request !== undefined && { request }), answer: answer.body });
      return answer;
    };
    await walk(endpoints, call);
    return withSteadyIds(found);
  } finally {
    await service.stop();
  }
}

/** Asynchronous results of requests: kind of a delivery, and state of the incident. */
const FOLLOWS: Partial<Record<string, { alert: DeliveryKind; incident: 'open' | 'acknowledged' }>> = {
  'POST /v1/checks/{id}/results': { alert: 'state_change', incident: 'open' },
  'POST /v1/checks/{id}/acknowledge': { alert: 'acknowledged', incident: 'acknowledged' },
};

/** Polls until a condition is true, at most 30 s, while the clock of the service is stopped. */
async function until(condition: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`The walk timed out after 30 s, before ${condition}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
