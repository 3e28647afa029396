import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { newEntity, newPushCheck } from '#test/abuse/client.ts';
import { httpTarget } from '#test/support/socket-target.ts';

const AT_ONCE = 20;
const RETRY_AFTER_S = 60;

/**
 * Test alerts, twenty at a time and as fast as possible, to a receiver that responds with a Retry-After of a minute.
 */
export const relay: Attack = async ({ member, seconds, stack }) => {
  let posts = 0;
  const receiver = stack.use(
    await httpTarget((_request, response) => {
      posts++;
      response.writeHead(429, { 'retry-after': String(RETRY_AFTER_S) }).end();
    }, HOSTILE),
  );
  await member.need('POST', '/v1/blueprints', { slug: 'service', name: 'Service' });
  const check = await newPushCheck(member, await newEntity(member, 'hostile'), [`${receiver.url}/hook`]);
  const [channel] = (await member.need('GET', `/v1/checks/${check}/policy`)).channels;
  const responses = new Tally();
  let withRetryAfter = 0;
  return {
    run: async (until) => {
      const one = async () => {
        while (Date.now() < until) {
          const path = `/v1/checks/${check}/policy/channels/${channel.id}/test`;
          const response = await member.send('POST', path).catch(() => undefined);
          responses.add(response?.status ?? 'none');
          if (response?.status === 429 && Number(response.headers['retry-after']) > 0) withRetryAfter++;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
    },
    conclude: async () => {
      // A 429 stops posts until its Retry-After has passed; up to `AT_ONCE` posts are in flight when it arrives.
      const most = AT_ONCE * (1 + Math.floor(seconds / RETRY_AFTER_S));
      return {
        evidence: [`responses: ${responses}; posts at the receiver: ${posts}, allowed: ${most}`],
        facts: [
          { holds: responses.total > 0 && posts > 0, fact: 'the attack took place' },
          { holds: posts <= most, fact: 'the receiver gets no posts during its Retry-After' },
          { holds: withRetryAfter > 0, fact: 'the attacker receives 429 with Retry-After' },
        ],
      };
    },
  };
};
