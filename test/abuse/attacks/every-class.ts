import type { AccountClass, Rate } from '#lib/platform/sharing/rates.ts';
import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { type ApiResponse, Caller, newEntity, newPushCheck } from '#test/abuse/client.ts';
import { httpTarget } from '#test/support/socket-target.ts';

const KEYS = 10;
/** Concurrent requests per class and key. */
const AT_ONCE = 2;
/** Tolerance for the end of the attack and for a refill between two clock readings. */
const SLACK = 1.1;

/** Classes that count requests. */
type RequestClass = Exclude<AccountClass, 'store'>;
type Tallies = Record<RequestClass, Tally>;

/** Requests of every class at once, as fast as ten keys of an account can send them. */
export const everyClass: Attack = async ({ member, seconds, stack }) => {
  const receiver = stack.use(await httpTarget((_request, response) => void response.end('ok'), HOSTILE));
  await member.need('POST', '/v1/blueprints', { slug: 'service', name: 'Service' });
  const check = await newPushCheck(member, await newEntity(member, 'busy'), [`${receiver.url}/hook`]);
  const { channels } = await member.need('GET', `/v1/checks/${check}/policy`);
  const { rate_limits } = await member.need('GET', '/v1/me');
  const callers: Caller[] = [];
  for (let n = 0; n < KEYS; n++) {
    const { key } = await member.need('POST', '/v1/auth/keys', { label: `Key ${n}` });
    callers.push(new Caller(member.url, key, HOSTILE));
  }

  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const calls: Record<RequestClass, (caller: Caller, n: number) => Promise<ApiResponse>> = {
    read: (caller) => caller.send('GET', `/v1/checks/${check}`),
    write: (caller, n) => caller.send('PUT', `/v1/checks/${check}`, { name: `Busy ${n}` }),
    push: (caller) => caller.send('POST', `/v1/checks/${check}/heartbeat`),
    mcp: (caller) => caller.send('POST', '/v1/mcp', ping),
    send: (caller) => caller.send('POST', `/v1/checks/${check}/policy/channels/${channels[0].id}/test`),
  };
  const classes = Object.keys(calls) as RequestClass[];
  const responses = Object.fromEntries(classes.map((of) => [of, new Tally()])) as Tallies;
  let withoutRetryAfter = 0;
  const note = (of: RequestClass, { status, headers }: ApiResponse) => {
    responses[of].add(status);
    if (status === 429 && !(Number(headers['retry-after']) > 0)) withoutRetryAfter++;
  };
  return {
    run: async (until) => {
      const work = async (of: RequestClass, caller: Caller) => {
        for (let n = 0; Date.now() < until; n++) {
          await calls[of](caller, n).then(
            (response) => note(of, response),
            () => responses[of].add('none'),
          );
        }
      };
      const workers = Array.from({ length: AT_ONCE }, () => callers).flat();
      await Promise.all(classes.flatMap((of) => workers.map((caller) => work(of, caller))));
    },
    conclude: async () => {
      const maxRequests = ({ per_second, burst }: Rate) => burst + per_second * seconds * SLACK;
      const accepted = (of: RequestClass) => responses[of].total - responses[of].of(429) - responses[of].of('none');
      return {
        evidence: classes.map((of) => `${of}: ${responses[of]}`),
        facts: [
          { holds: classes.every((of) => responses[of].total > 0), fact: 'the attack took place' },
          {
            holds: classes.every((of) => accepted(of) <= maxRequests(rate_limits[of])),
            fact: 'no class exceeds its rate',
          },
          { holds: responses.send.of(429) > 0, fact: 'excess requests of the attacker are rejected' },
          { holds: withoutRetryAfter === 0, fact: 'each 429 has Retry-After' },
        ],
      };
    },
  };
};
