import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { type Attack, type Fact, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { makeChecks } from '#test/abuse/checks.ts';
import { type Caller, gapsOf, newEntity } from '#test/abuse/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { httpTarget } from '#test/support/socket-target.ts';

/** Expression that takes about 40 ms to search in 32 KB of random letters. */
const SLOW = 'a.{60}\\d';
const LETTERS = Array.from({ length: 32 * 1024 }, () => 'ab'[randomInt(2)]).join('');

const twenty = (assertion: object): object[] => Array.from({ length: 20 }, () => assertion);
const slowAssertions = twenty({ source: 'body', operator: 'not_matches', value: SLOW });

/** Enables the checks that the limits allow. @returns the error of the limit, if it was reached */
async function enableAllowed(caller: Caller, ids: string[]): Promise<string> {
  for (const id of ids) {
    const { status, body } = await caller.send('PUT', `/v1/checks/${id}`, { enabled: true });
    if (status === 409) return body.error;
    if (status === 429) await pause(100);
  }
  return '';
}

/** Creates disabled checks. `run` enables them, `conclude` reports their gaps. */
async function probing(
  { member, seconds }: { member: Caller; seconds: number },
  count: number,
  settings: (n: number) => object,
) {
  let limit = '';
  const { ids } = await makeChecks(member, count, (n) => ({
    interval_seconds: 1,
    timeout_ms: 1_000,
    ...settings(n),
  }));
  return {
    run: async (until: number) => {
      limit = await enableAllowed(member, ids);
      await pause(until - Date.now());
    },
    conclude: async () => {
      const found = await eventually(async () => {
        const gaps = await gapsOf(member, ids);
        return (gaps.cpu_budget ?? 0) > 0 && gaps;
      }, 15_000).catch(() => undefined);
      const gaps = found ?? (await gapsOf(member, ids));
      const evidence = [`checks: ${ids.length}; gaps in ${seconds} s: ${JSON.stringify(gaps)}`];
      const fact: Fact = {
        holds: found !== undefined && (gaps.late ?? 0) < (gaps.cpu_budget ?? 0),
        fact: 'the checks of the attacker have gaps with the cause "cpu_budget", and fewer with "late"',
      };
      return { evidence: limit ? [...evidence, limit] : evidence, facts: [fact] };
    },
  };
}

/** Checks with slow expressions on a response of 32 KB. */
export const checkExpressions: Attack = async (around) => {
  const target = around.stack.use(await httpTarget((_request, response) => response.end(LETTERS), HOSTILE));
  return probing(around, 30, (n) => ({
    check_type: 'http',
    target_url: `${target.url}/${n}`,
    config: { assertions: slowAssertions },
  }));
};

/** Checks of a WebSocket server that sends 950 messages at once, none of which matches a slow expression. */
export const websocketExpressions: Attack = async (around) => {
  const server = new WebSocketServer({ host: HOSTILE, port: 0 });
  around.stack.defer(() => server.close());
  const message = LETTERS.slice(0, 1_000);
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    for (let i = 0; i < 950; i++) socket.send(message);
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  return probing(around, 20, () => ({
    check_type: 'websocket',
    config: { url: `ws://${HOSTILE}:${port}/`, matches: SLOW },
  }));
};

/** Checks with twenty assertions on a JSON document of 1 MB. */
export const largeDocuments: Attack = async (around) => {
  const document = JSON.stringify(Array.from({ length: 95_000 }, (_, i) => ({ a: i % 10 })));
  const target = around.stack.use(await httpTarget((_request, response) => response.end(document), HOSTILE));
  const assertions = twenty({ source: 'json', property: '$[94000].a', operator: 'exists' });
  return probing(around, 20, (n) => ({
    check_type: 'http',
    target_url: `${target.url}/${n}`,
    config: { assertions },
  }));
};

/** Sends requests by several clients until a time (epoch ms). @returns the outcomes that `send` returned */
async function flood(clients: number, until: number, send: (n: number) => Promise<string>): Promise<Tally> {
  const outcomes = new Tally();
  const client = async (n: number) => {
    while (Date.now() < until) {
      outcomes.add(await send(n).catch(() => 'none'));
      // The clients ignore Retry-After, but pause so that they do not exhaust the sockets of the machine.
      await pause(10);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
  return outcomes;
}

/** Pings to checks whose slow expressions search the body. */
export const pingExpressions: Attack = async ({ member }) => {
  const { ids, limit } = await makeChecks(member, 40, () => ({
    check_type: 'push',
    interval_seconds: 60,
    enabled: true,
    config: { assertions: slowAssertions },
  }));
  const urls: string[] = [];
  for (const id of ids) urls.push((await member.need('GET', `/v1/checks/${id}`)).ping_url);
  let outcomes = new Tally();
  return {
    run: async (until) => {
      outcomes = await flood(40, until, async (n) => {
        const { pathname } = new URL(urls[n % urls.length]!);
        const { status, body } = await member.send('POST', pathname, LETTERS.slice(0, 9_900));
        return status === 429 && /CPU budget/.test(String(body)) ? '429 CPU budget' : String(status);
      });
    },
    conclude: async () => ({
      evidence: [`pings: ${outcomes}`, ...(limit ? [limit] : [])],
      facts: [
        { holds: outcomes.of(200) > 0, fact: 'the attack took place' },
        { holds: outcomes.of('429 CPU budget') > 0, fact: 'pings beyond the CPU budget are rejected with this reason' },
      ],
    }),
  };
};

/** Requests to create checks with expressions that are expensive to compile and must be rejected. */
export const refusedExpressions: Attack = async ({ member }) => {
  await member.need('POST', '/v1/blueprints', { slug: 'service', name: 'Service' });
  const entity_id = await newEntity(member, 'hostile');
  const bodies = ['((a{9}){9}){9}'.repeat(15), '\\pL{1000}', `${'[\\pL\\d][^\\pN]'.repeat(17)}(`].map((value) => ({
    entity_id,
    check_type: 'http',
    target_url: `http://${HOSTILE}/`,
    config: { assertions: twenty({ source: 'body', operator: 'matches', value }) },
  }));
  let outcomes = new Tally();
  return {
    run: async (until) => {
      outcomes = await flood(16, until, async (n) => {
        const { status } = await member.send('POST', '/v1/checks', bodies[n % bodies.length]);
        return String(status);
      });
    },
    conclude: async () => ({
      evidence: [`requests: ${outcomes}`],
      facts: [
        {
          holds: outcomes.of(400) > 0 && outcomes.of(201) === 0,
          fact: 'requests are rejected with 400, and never accepted',
        },
      ],
    }),
  };
};
