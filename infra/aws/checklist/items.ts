import { eventually, expected, type Json, open } from '#infra/smoke/call.ts';
import { callsByStream } from '#infra/smoke/mcp.ts';
import type { Fixtures } from './fixtures.ts';
import { type Stack, sumOf } from './metrics.ts';

type Item = {
  name: string;
  expected: string;
  /** @returns the result, line by line. Throws StepError. */
  run(fixtures: Fixtures, stack: Stack | undefined): Promise<string[]>;
};

const MINUTE_MS = 60_000;
const since = (began: number): number => Math.round(performance.now() - began);

/** Items that only a real account can show, the quick ones first. */
export const ITEMS: Item[] = [
  {
    name: 'rejection of a request without a key',
    expected:
      'Url: 401 by CloudFront (server: CloudFront). ApiUrl: 401, with either name of the header. StreamUrlmcp: 403 behind CloudFront, 401 with CDN=false.',
    run: async ({ addresses }) =>
      Promise.all(
        addresses.map(async ({ name, url }) => {
          const response = await open(`${url}/v1/mcp`, { method: 'GET', headers: { accept: 'text/event-stream' } });
          await response.text();
          const headers = ['server', 'www-authenticate', 'x-amzn-remapped-www-authenticate'].flatMap((header) => {
            const value = response.headers.get(header);
            return value === null ? [] : [`${header}: ${value}`];
          });
          return `${name}: ${response.status} ${headers.join('; ')}`;
        }),
      ),
  },
  {
    name: 'end of a response without a body',
    expected:
      'Each 202 in well under a second. A response that takes 30 s or more was never ended: its function must send a body.',
    run: async ({ callable }) => {
      const lines: string[] = [];
      for (const { name, call } of callable) {
        const began = performance.now();
        const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
        const { status } = await call('POST', '/v1/mcp', notification);
        lines.push(`${name}: ${status} after ${since(began)} ms`);
      }
      return lines;
    },
  },
  {
    name: 'immediate delivery of stream events',
    expected:
      'The response within 2 s. After 15 s it came with the next keep-alive: a hop on the way buffers small chunks.',
    run: async ({ stream, key }) => {
      const began = performance.now();
      const result = await callsByStream(stream, key);
      return [`${result}; ${since(began)} ms in total, including the cold start`];
    },
  },
  {
    name: 'names with reserved URL characters',
    expected: '400 for "a?b"; 204 for the deletion of "a/b 100%".',
    run: async (fixtures) => {
      const path = `/v1/blueprints/${fixtures.name}/fields`;
      const refused = await fixtures.call('POST', path, { name: 'a?b', field_type: 'string' });
      expected(await fixtures.call('POST', path, { name: 'a/b 100%', field_type: 'string' }), 201, `POST ${path}`);
      const removed = await fixtures.call('DELETE', `${path}/${encodeURIComponent('a/b 100%')}`);
      return [`"a?b": ${refused.status}`, `"a/b 100%" deleted: ${removed.status}`];
    },
  },
  {
    name: 'unreachable targets',
    expected:
      'Functions without a VPC have no IPv6 and no port 25: the first probe fails, the second check is rejected when it is created. A clear error, not a timeout of the function.',
    run: async (fixtures) =>
      Promise.all([
        firstResult(fixtures, { host: fixtures.hosts.ipv6, port: 443 }, `${fixtures.hosts.ipv6} (IPv6 only)`),
        firstResult(fixtures, { host: fixtures.hosts.smtp, port: 25 }, `${fixtures.hosts.smtp}, port 25`),
      ]),
  },
  {
    name: '50 concurrent TLS probes',
    expected:
      'A median close to that of a single probe. If it is far above, the probes wait for the CPU: use more memory or smaller batches.',
    run: tlsAtOnce,
  },
  {
    name: 'missed heartbeats',
    expected:
      'A failure every 10 s until the end, and no dropped invocation: Lambda does not take the deadlines for a loop.',
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
      const dropped = stack && (await sumOf(stack, 'RecursiveInvocationsDropped'));
      return [
        `${missed} failures in ${fixtures.minutes} minutes; expected: ${Math.max(0, fixtures.minutes * 6 - 1)}`,
        ...(dropped ?? []),
      ];
    },
  },
  {
    name: 'lag of the schedule and of the queues',
    expected:
      'ScheduleLag under 60 s. ApproximateAgeOfOldestMessage of job and deadline shows whether it includes the delay of a message; the alarms allow for it.',
    run: async (_site, stack) => (stack ? sumOf(stack, 'lag') : [NO_STACK]),
  },
  {
    name: 'price of idle queues',
    expected:
      'NumberOfEmptyReceives per hour: some 360 with two pollers, 900 with five. The cost bench prices it times 730 hours.',
    run: async (_site, stack) => (stack ? sumOf(stack, 'NumberOfEmptyReceives') : [NO_STACK]),
  },
];

const NO_STACK = 'skipped: use --stack with the AWS CLI and credentials';

const makeCheck = (fixtures: Fixtures, settings: object, entity = fixtures.entities[0]) =>
  fixtures.call('POST', '/v1/checks', { entity_id: entity, failure_threshold: 1, interval_seconds: 60, ...settings });

const newCheck = async (fixtures: Fixtures, settings: object, entity?: string): Promise<string> =>
  expected(await makeCheck(fixtures, settings, entity), 201, 'POST /v1/checks').id;

async function lastResult(fixtures: Fixtures, id: string): Promise<Json> {
  const { last_result } = expected(await fixtures.call('GET', `/v1/checks/${id}`), 200, 'GET /v1/checks/{id}');
  return last_result ?? undefined;
}

async function firstResult(fixtures: Fixtures, config: object, what: string): Promise<string> {
  const made = await makeCheck(fixtures, { check_type: 'tcp', config });
  if (made.status === 400) return `${what}: rejected: ${made.body.error}`;
  const { id } = expected(made, 201, 'POST /v1/checks');
  const result = await eventually(`the result of ${what}`, fixtures.patience, () => lastResult(fixtures, id));
  return `${what}: ${result.success ? `reached, ${result.latency_ms} ms` : `${result.error_kind}: ${result.error_message}`}`;
}

async function tlsAtOnce(fixtures: Fixtures): Promise<string[]> {
  const tls = (entity?: string) => newCheck(fixtures, { check_type: 'tls', config: fixtures.hosts.tls }, entity);
  const latency = async (id: string): Promise<number> => {
    const result = await eventually('the result of a TLS check', fixtures.patience, () => lastResult(fixtures, id));
    return result.latency_ms;
  };
  const alone = await latency(await tls(fixtures.entities[1]));
  const ids = await Promise.all(Array.from({ length: 50 }, (_, i) => tls(fixtures.entities[1 + (i % 3)])));
  const all = (await Promise.all(ids.map(latency))).sort((a, b) => a - b);
  return [`single probe ${alone} ms; 50 concurrent: median ${all[25]} ms, longest ${all[49]} ms`];
}
