import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { newEntity, newPushCheck } from '#test/abuse/client.ts';
import { httpTarget } from '#test/support/socket-target.ts';

const AT_ONCE = 20;
const RETRY_AFTER_S = 60;

/** Test alerts, twenty at a time and as fast as they are answered, to somebody who asks to be spared for a minute. */
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
  const answers = new Tally();
  let withTime = 0;
  return {
    run: async (until) => {
      const one = async () => {
        while (Date.now() < until) {
          const path = `/v1/checks/${check}/policy/channels/${channel.id}/test`;
          const answer = await member.ask('POST', path).catch(() => undefined);
          answers.add(answer?.status ?? 'none');
          if (answer?.status === 429 && Number(answer.headers['retry-after']) > 0) withTime++;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
    },
    judge: async () => {
      // What is under way when the first refusal comes, once for each time that it lasts.
      const most = AT_ONCE * (1 + Math.floor(seconds / RETRY_AFTER_S));
      return {
        evidence: [`answers: ${answers}; posts at the receiver: ${posts}, at most ${most} are fair`],
        facts: [
          { holds: answers.total > 0 && posts > 0, fact: 'the attack took place' },
          { holds: posts <= most, fact: 'the receiver is left alone once it has asked for it' },
          { holds: withTime > 0, fact: 'the attacker is answered 429 with retry-after' },
        ],
      };
    },
  };
};
