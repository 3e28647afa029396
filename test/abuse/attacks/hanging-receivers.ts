import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { newEntity, newPushCheck } from '#test/abuse/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { httpTarget } from '#test/support/socket-target.ts';
import { flipUntil } from './pushes.ts';

const CHANNELS = 10;
const EVERY_MS = 200;
/** A receiver has ten seconds per attempt, and the circuit breaker opens after several attempts. */
const PATIENCE_MS = 60_000;

/** Alerts, ten at a time and fifty a second, to receivers that never respond. */
export const hangingReceivers: Attack = async ({ member, stack }) => {
  let posts = 0;
  const receiver = stack.use(await httpTarget(() => void posts++, HOSTILE));
  await member.need('POST', '/v1/blueprints', { slug: 'service', name: 'Service' });
  const urls = Array.from({ length: CHANNELS }, (_, n) => `${receiver.url}/${n}`);
  const check = await newPushCheck(member, await newEntity(member, 'hostile'), urls);
  let pushed = new Tally();
  return {
    run: async (until) => {
      pushed = await flipUntil(member, check, EVERY_MS, until);
    },
    conclude: async () => {
      const log = () => member.need('GET', '/v1/notify/logs?limit=1000') as Promise<{ error: string }[]>;
      const named = await eventually(
        async () => (await log()).find(({ error }) => /circuit/i.test(error)),
        PATIENCE_MS,
      ).catch(() => undefined);
      const outcomes = new Tally();
      for (const { error } of await log()) outcomes.add(error || 'no error');
      return {
        evidence: [`pushes: ${pushed}; posts without a response: ${posts}; latest deliveries: ${outcomes}`],
        facts: [
          { holds: posts > 0, fact: 'the attack took place' },
          { holds: named !== undefined, fact: "the attacker's delivery log names the circuit breaker" },
        ],
      };
    },
  };
};
