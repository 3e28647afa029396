import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { httpTarget } from '#test/support/socket-target.ts';

const AT_ONCE = 10;
/** What may leave for a template of 16 KB. */
const MAX_BYTES = 64 * 1024;

/** Runs whose request of a hundred bytes would become one of 250 KB to somebody else. */
export const amplification: Attack = async ({ admin, member, stack }) => {
  let requests = 0;
  let bytes = 0;
  let largest = 0;
  const target = stack.use(
    await httpTarget((request, response) => {
      let own = 0;
      request.on('data', (chunk: Buffer) => {
        own += chunk.length;
      });
      request.on('end', () => {
        requests++;
        bytes += own;
        largest = Math.max(largest, own);
        response.end('ok');
      });
    }, HOSTILE),
  );
  const { id } = await admin.need('POST', '/v1/actions', {
    name: 'Amplify',
    url: `${target.url}/run`,
    trigger_type: 'manual',
    body_template: '{{a}}'.repeat(3276),
  });
  const answers = new Tally();
  return {
    run: async (until) => {
      const one = async () => {
        while (Date.now() < until) {
          const run = { vars: { a: 'x'.repeat(79) } };
          const answer = await member.ask('POST', `/v1/actions/${id}/run`, run).catch(() => undefined);
          answers.add(answer?.body?.error_message || answer?.body?.code || answer?.status || 'none');
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
    },
    judge: async () => {
      const told = answers.total - answers.of(200) - answers.of('none');
      return {
        evidence: [
          `answers: ${answers}`,
          `at the target: ${requests} requests, ${bytes} bytes, at most ${largest} in one`,
        ],
        facts: [
          { holds: answers.total > 0, fact: 'the attack took place' },
          { holds: largest <= MAX_BYTES, fact: `no body of more than ${MAX_BYTES} bytes leaves` },
          { holds: told > 0, fact: 'the attacker is told why its runs do not go out' },
        ],
      };
    },
  };
};
