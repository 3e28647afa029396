import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { newEntity, newPushCheck } from '#test/abuse/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { httpTarget } from '#test/support/socket-target.ts';
import { flipUntil } from './pushes.ts';

const CHECKS = 10;
const PATHS = 90;
const EVERY_MS = 50;
/** Messages with alerts per minute, and the burst of one host (docs/operate/limits.md#alerts-per-minute). */
const [PER_MINUTE, HOST_BURST] = [600, 60];
const PATIENCE_MS = 60_000;

/** Ten checks that each flip twenty times a second, and together send alerts to ninety paths of one host. */
export const alertFlood: Attack = async ({ member, stack }) => {
  const posts: number[] = [];
  const receiver = stack.use(
    await httpTarget((request, response) => {
      posts.push(Date.now());
      request.resume();
      response.end('ok');
    }, HOSTILE),
  );
  await member.need('POST', '/v1/blueprints', { slug: 'service', name: 'Service' });
  const entity = await newEntity(member, 'hostile');
  const checks: string[] = [];
  for (let n = 0; n < CHECKS; n++) {
    const urls = Array.from({ length: PATHS / CHECKS }, (_, i) => `${receiver.url}/${n}/${i}`);
    checks.push(await newPushCheck(member, entity, urls));
  }
  let pushed: Tally[] = [];
  let posted = 0;
  return {
    run: async (until) => {
      pushed = await Promise.all(checks.map((check) => flipUntil(member, check, EVERY_MS, until)));
      posted = posts.length;
    },
    conclude: async () => {
      const log = (query = '') => member.need('GET', `/v1/notify/logs?limit=1000${query}`);
      const combined = await eventually(async () => {
        const found: { combined_in: string | null }[] = await log('&status=sent');
        return found.filter(({ combined_in }) => combined_in !== null).length;
      }, PATIENCE_MS).catch(() => 0);
      const outcomes = new Tally();
      for (const { status, error } of await log()) outcomes.add(error ? `${status}, ${error}` : status);
      const flips = pushed.reduce((sum, tally) => sum + tally.of(201), 0);
      const lasted_ms = (posts[posted - 1] ?? 0) - (posts[0] ?? 0);
      // A busy machine receives some posts later than it sent them, so that the time between them seems shorter.
      const allowed = Math.ceil(1.1 * (HOST_BURST + (lasted_ms * PER_MINUTE) / 60_000));
      return {
        evidence: [
          `flips: ${flips}, alerts: ${(flips * PATHS) / CHECKS}, posts to one host: ${posted}, allowed: ${allowed}`,
          `combined among the attacker's last 1,000 deliveries: ${combined}; ${outcomes}`,
        ],
        facts: [
          { holds: posted > 0, fact: 'the attack took place' },
          { holds: posted <= allowed, fact: 'the host gets no more messages than the rate of the account allows' },
          { holds: combined > 0, fact: "the attacker's delivery log names the messages in which alerts were combined" },
        ],
      };
    },
  };
};
