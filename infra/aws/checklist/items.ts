import { eventually, expected, type Json, open } from '#infra/smoke/call.ts';
import { testMcpByStream } from '#infra/smoke/mcp.ts';
import type { Fixtures } from './fixtures.ts';
import { lastHourOf, type Stack } from './metrics.ts';

export type Measurement = {
  what: string;
  value: string | number;
  unit?: string;
  wanted: string;
  passed: boolean;
};

type Item = {
  name: string;
  /** Reason for the item, such as what an emulator cannot show. */
  about: string;
  /** Whether it reads metrics, which need --stack. */
  reads_stack?: true;
  /** Throws StepError. */
  run(fixtures: Fixtures, stack: Stack | undefined): Promise<Measurement[]>;
};

const MINUTE_MS = 60_000;
/** Maximum duration (ms) of a response without a body; one that the function does not end takes 30 s. */
const MAX_END_MS = 5000;
/** Maximum delay (ms) of an event; a hop that buffers releases it with the next keep-alive, after 15 s. */
const MAX_EVENT_MS = 2000;
/** Maximum latency (ms) that 49 other probes may add; probes that wait for the CPU add far more. */
const MAX_ADDED_MS = 250;
const MAX_LAG_SECONDS = 60;
/** Same as in the alarms: messages of `job` and `deadline` wait up to 240 s by intention. */
const MAX_AGE_SECONDS = 300;
/** Maximum empty receives per queue and hour: five pollers make 900, two make 360. */
const MAX_EMPTY_RECEIVES = 1000;

const since = (began: number): number => Math.round(performance.now() - began);
const exactly = (what: string, value: string | number, wanted: string | number): Measurement => ({
  what,
  value,
  wanted: String(wanted),
  passed: value === wanted,
});
/** @param value undefined: no data, which never passes */
const atMost = (what: string, value: number | undefined, most: number, unit: string): Measurement => ({
  what,
  value: value ?? 'no data',
  unit,
  wanted: `at most ${most}`,
  passed: value !== undefined && value <= most,
});

/** Items that only a real account can show, the quick ones first. */
export const ITEMS: Item[] = [
  {
    name: 'rejection of a request without a key',
    about: 'CloudFront rejects at Url, the service at ApiUrl, Lambda at StreamUrlmcp behind CloudFront.',
    run: async ({ addresses, cdn }) =>
      (
        await Promise.all(
          addresses.map(async ({ name, url }) => {
            const response = await open(`${url}/v1/mcp`, { method: 'GET', headers: { accept: 'text/event-stream' } });
            await response.text();
            const isLambda = cdn && name === 'StreamUrlmcp';
            const found = [exactly(`status at ${name}`, response.status, isLambda ? 403 : 401)];
            if (isLambda) return found;
            if (name === 'Url')
              return [...found, exactly('server at Url', response.headers.get('server') ?? 'none', 'CloudFront')];
            const challenge =
              response.headers.get('www-authenticate') ?? response.headers.get('x-amzn-remapped-www-authenticate');
            const isBearer = challenge?.startsWith('Bearer') === true;
            return [...found, exactly(`challenge at ${name}`, isBearer ? 'Bearer' : (challenge ?? 'none'), 'Bearer')];
          }),
        )
      ).flat(),
  },
  {
    name: 'end of a response without a body',
    about: 'A streaming function must send a body, or the response never ends.',
    run: async ({ callable }) => {
      const found: Measurement[] = [];
      for (const { name, call } of callable) {
        const began = performance.now();
        const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
        const { status } = await call('POST', '/v1/mcp', notification);
        const time = atMost(`duration at ${name}`, since(began), MAX_END_MS, 'ms');
        found.push(exactly(`status at ${name}`, status, 202), time);
      }
      return found;
    },
  },
  {
    name: 'immediate delivery of stream events',
    about: 'A hop that buffers small chunks would release an event with the next keep-alive.',
    run: async ({ stream, key }) => [atMost('response', await testMcpByStream(stream, key), MAX_EVENT_MS, 'ms')],
  },
  {
    name: 'names with reserved URL characters',
    about: 'The gateway decodes paths.',
    run: async (fixtures) => {
      const path = `/v1/blueprints/${fixtures.name}/fields`;
      const refused = await fixtures.call('POST', path, { name: 'a?b', field_type: 'string' });
      expected(await fixtures.call('POST', path, { name: 'a/b 100%', field_type: 'string' }), 201, `POST ${path}`);
      const removed = await fixtures.call('DELETE', `${path}/${encodeURIComponent('a/b 100%')}`);
      return [
        exactly('creation of "a?b"', refused.status, 400),
        exactly('deletion of "a/b 100%"', removed.status, 204),
      ];
    },
  },
  {
    name: 'unreachable targets',
    about: 'Functions without a VPC have no IPv6 and no port 25, and must say so at once.',
    run: async (fixtures) =>
      Promise.all([
        firstResult(fixtures, { host: fixtures.hosts.ipv6, port: 443 }, `${fixtures.hosts.ipv6} (IPv6 only)`),
        firstResult(fixtures, { host: fixtures.hosts.smtp, port: 25 }, `${fixtures.hosts.smtp}, port 25`),
      ]),
  },
  {
    name: '50 concurrent TLS probes',
    about: 'A probe that waits for the CPU measures this wait, not the target: use more memory or smaller batches.',
    run: tlsAtOnce,
  },
  {
    name: 'missed heartbeats',
    about: 'Lambda must not mistake the deadlines, one every 10 s, for a recursive loop.',
    run: async (fixtures, stack) => {
      const id = await newCheck(fixtures, { check_type: 'push', interval_seconds: 10, config: { grace_seconds: 10 } });
      expected(await fixtures.call('POST', `/v1/checks/${id}/heartbeat`), 201, 'POST heartbeat');
      await new Promise((resolve) => setTimeout(resolve, fixtures.minutes * MINUTE_MS));
      const { results } = expected(
        await fixtures.call('GET', `/v1/checks/${id}/results?limit=500`),
        200,
        'GET results',
      );
      const missed = results.filter((one: Json) => one.error_kind === 'missed_heartbeat').length;
      const least = Math.max(0, fixtures.minutes * 6 - 2);
      return [
        {
          what: `failures in ${fixtures.minutes} minutes`,
          value: missed,
          wanted: `at least ${least}`,
          passed: missed >= least,
        },
        ...(stack ? await lastHourOf(stack, 'RecursiveInvocationsDropped') : []).map(({ what, value = 0 }) =>
          atMost(what, value, 0, ''),
        ),
      ];
    },
  },
  {
    name: 'lag of the schedule and of the queues',
    about: 'The schedule ticks each minute, and messages of job and deadline are delayed by intention.',
    run: async (_fixtures, stack) =>
      (await lastHourOf(stack!, 'lag')).map(({ what, value, is_schedule }) =>
        is_schedule ? atMost(what, value, MAX_LAG_SECONDS, 's') : atMost(what, value ?? 0, MAX_AGE_SECONDS, 's'),
      ),
    reads_stack: true,
  },
  {
    name: 'price of idle queues',
    about: 'Lambda uses two pollers a queue, five for a bounded one; the cost bench prices their receives.',
    run: async (_fixtures, stack) =>
      (await lastHourOf(stack!, 'NumberOfEmptyReceives')).map(({ what, value = 0 }) =>
        atMost(what, value, MAX_EMPTY_RECEIVES, 'an hour'),
      ),
    reads_stack: true,
  },
];

const makeCheck = (fixtures: Fixtures, settings: object, entity = fixtures.entities[0]) =>
  fixtures.call('POST', '/v1/checks', { entity_id: entity, failure_threshold: 1, interval_seconds: 60, ...settings });

const newCheck = async (fixtures: Fixtures, settings: object, entity?: string): Promise<string> =>
  expected(await makeCheck(fixtures, settings, entity), 201, 'POST /v1/checks').id;

async function lastResult(fixtures: Fixtures, id: string): Promise<Json> {
  const { last_result } = expected(await fixtures.call('GET', `/v1/checks/${id}`), 200, 'GET /v1/checks/{id}');
  return last_result ?? undefined;
}

/** Probes a target that functions without a VPC cannot reach; passes if the result is not a timeout. */
async function firstResult(fixtures: Fixtures, config: object, what: string): Promise<Measurement> {
  const wanted = 'reached, or an error other than a timeout';
  const made = await makeCheck(fixtures, { check_type: 'tcp', config });
  if (made.status === 400) return { what, value: `rejected: ${made.body.error}`, wanted, passed: true };
  const { id } = expected(made, 201, 'POST /v1/checks');
  const result = await eventually(`the result of ${what}`, fixtures.patience, () => lastResult(fixtures, id));
  const value = result.success ? `reached, ${result.latency_ms} ms` : `${result.error_kind}: ${result.error_message}`;
  return { what, value, wanted, passed: result.success || result.error_kind !== 'timeout' };
}

async function tlsAtOnce(fixtures: Fixtures): Promise<Measurement[]> {
  const tls = (entity?: string) => newCheck(fixtures, { check_type: 'tls', config: fixtures.hosts.tls }, entity);
  const latency = async (id: string): Promise<number> => {
    const result = await eventually('the result of a TLS check', fixtures.patience, () => lastResult(fixtures, id));
    return result.latency_ms;
  };
  const alone = await latency(await tls(fixtures.entities[1]));
  const ids = await Promise.all(Array.from({ length: 50 }, (_, i) => tls(fixtures.entities[1 + (i % 3)])));
  const all = (await Promise.all(ids.map(latency))).sort((a, b) => a - b);
  return [
    atMost(`median of 50 (single probe: ${alone} ms, longest: ${all[49]} ms)`, all[25], alone + MAX_ADDED_MS, 'ms'),
  ];
}
