import { eventually, expected, type Json, open } from '#infra/smoke/call.ts';
import { callsByStream } from '#infra/smoke/mcp.ts';
import type { Fixtures } from './fixtures.ts';
import { type Stack, sumOf } from './metrics.ts';

type Item = {
  name: string;
  /** What it should look like, and what it means when it does not. */
  look: string;
  /** @returns what was seen, line by line. Throws StepError. */
  run(site: Fixtures, stack: Stack | undefined): Promise<string[]>;
};

const MINUTE_MS = 60_000;
const since = (began: number): number => Math.round(performance.now() - began);

/** What only a real account can show. The quick ones first. */
export const ITEMS: Item[] = [
  {
    name: 'who refuses a call without a key',
    look: 'Url: 401 by CloudFront (server: CloudFront). ApiUrl: 401, under either name of the header. StreamUrlmcp: 403 behind CloudFront, 401 with CDN=false.',
    run: async ({ addresses }) =>
      Promise.all(
        addresses.map(async ({ name, url }) => {
          const response = await open(`${url}/v1/mcp`, { method: 'GET', headers: { accept: 'text/event-stream' } });
          await response.text();
          const shown = ['server', 'www-authenticate', 'x-amzn-remapped-www-authenticate'].flatMap((header) => {
            const value = response.headers.get(header);
            return value === null ? [] : [`${header}: ${value}`];
          });
          return `${name}: ${response.status} ${shown.join('; ')}`;
        }),
      ),
  },
  {
    name: 'an answer without a body ends',
    look: 'Each 202 in well under a second. One that takes 30 s and more was never ended: its function needs a body there.',
    run: async ({ callable }) => {
      const lines: string[] = [];
      for (const { name, call } of callable) {
        const began = performance.now();
        const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
        const { status } = await call('POST', '/v1/mcp', note);
        lines.push(`${name}: ${status} after ${since(began)} ms`);
      }
      return lines;
    },
  },
  {
    name: 'events of a stream come when they are written',
    look: 'The answer within 2 s. At 15 s it came with the next keep-alive: something on the way holds small pieces back.',
    run: async ({ stream, key }) => {
      const began = performance.now();
      const seen = await callsByStream(stream, key);
      return [`${seen}; ${since(began)} ms for it all, cold start included`];
    },
  },
  {
    name: 'names with marks of a URL',
    look: '400 for "a?b"; 204 for the removal of "a/b 100%".',
    run: async (site) => {
      const path = `/v1/blueprints/${site.name}/fields`;
      const refused = await site.call('POST', path, { name: 'a?b', field_type: 'string' });
      expected(await site.call('POST', path, { name: 'a/b 100%', field_type: 'string' }), 201, `POST ${path}`);
      const removed = await site.call('DELETE', `${path}/${encodeURIComponent('a/b 100%')}`);
      return [`"a?b": ${refused.status}`, `"a/b 100%" removed: ${removed.status}`];
    },
  },
  {
    name: 'what probes do not reach',
    look: 'Functions without a VPC have no IPv6 and no port 25: the first fails, the second is refused when it is made. An error that says so; no time-out of the function.',
    run: async (site) =>
      Promise.all([
        firstResult(site, { host: site.hosts.ipv6, port: 443 }, `${site.hosts.ipv6} (IPv6 alone)`),
        firstResult(site, { host: site.hosts.smtp, port: 25 }, `${site.hosts.smtp}, port 25`),
      ]),
  },
  {
    name: '50 TLS probes at once',
    look: 'A median near that of one probe alone. Far above it, what is measured is our own queue for the CPU: more memory, smaller batches.',
    run: tlsAtOnce,
  },
  {
    name: 'a check that falls silent',
    look: 'A failure each 10 s to the end, and no invocation dropped: Lambda takes no chain of deadlines for a loop.',
    run: async (site, stack) => {
      const id = await newCheck(site, { check_type: 'push', interval_seconds: 10, config: { grace_seconds: 10 } });
      expected(await site.call('POST', `/v1/checks/${id}/heartbeat`), 201, 'POST heartbeat');
      await new Promise((resolve) => setTimeout(resolve, site.minutes * MINUTE_MS));
      const { results } = expected(await site.call('GET', `/v1/checks/${id}/results?limit=500`), 200, 'GET results');
      const silent = results.filter((one: Json) => one.error_kind === 'missed_heartbeat').length;
      const dropped = stack && (await sumOf(stack, 'RecursiveInvocationsDropped'));
      return [
        `${silent} failures in ${site.minutes} minutes, ${Math.max(0, site.minutes * 6 - 1)} were due`,
        ...(dropped ?? []),
      ];
    },
  },
  {
    name: 'lag of the schedule and of the queues',
    look: 'ScheduleLag under 60 s. ApproximateAgeOfOldestMessage of job and deadline: whether it counts the time that a message is delayed; the alarms allow for it.',
    run: async (_site, stack) => (stack ? sumOf(stack, 'lag') : [NO_STACK]),
  },
  {
    name: 'what idle queues cost',
    look: 'NumberOfEmptyReceives an hour: some 360 with two pollers, 900 with five. Times 730 hours is what the cost bench prices.',
    run: async (_site, stack) => (stack ? sumOf(stack, 'NumberOfEmptyReceives') : [NO_STACK]),
  },
];

const NO_STACK = 'not looked at: give --stack, with the AWS CLI and credentials at hand';

const makeCheck = (site: Fixtures, settings: object, entity = site.entities[0]) =>
  site.call('POST', '/v1/checks', { entity_id: entity, failure_threshold: 1, interval_seconds: 60, ...settings });

/** @returns the id of a check of the site's entity */
const newCheck = async (site: Fixtures, settings: object, entity?: string): Promise<string> =>
  expected(await makeCheck(site, settings, entity), 201, 'POST /v1/checks').id;

async function lastResult(site: Fixtures, id: string): Promise<Json> {
  const { last_result } = expected(await site.call('GET', `/v1/checks/${id}`), 200, 'GET /v1/checks/{id}');
  return last_result ?? undefined;
}

async function firstResult(site: Fixtures, config: object, what: string): Promise<string> {
  const made = await makeCheck(site, { check_type: 'tcp', config });
  if (made.status === 400) return `${what}: refused: ${made.body.error}`;
  const { id } = expected(made, 201, 'POST /v1/checks');
  const result = await eventually(`a result of ${what}`, site.patience, () => lastResult(site, id));
  return `${what}: ${result.success ? `reached, ${result.latency_ms} ms` : `${result.error_kind}: ${result.error_message}`}`;
}

async function tlsAtOnce(site: Fixtures): Promise<string[]> {
  const tls = (entity?: string) => newCheck(site, { check_type: 'tls', config: site.hosts.tls }, entity);
  const latency = async (id: string): Promise<number> => {
    const result = await eventually('a result of a TLS check', site.patience, () => lastResult(site, id));
    return result.latency_ms;
  };
  const alone = await latency(await tls(site.entities[1]));
  const ids = await Promise.all(Array.from({ length: 50 }, (_, i) => tls(site.entities[1 + (i % 3)])));
  const all = (await Promise.all(ids.map(latency))).sort((a, b) => a - b);
  return [`one alone ${alone} ms; of 50 at once: median ${all[25]} ms, longest ${all[49]} ms`];
}
