import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { httpTarget } from '#test/support/socket-target.ts';

const AT_ONCE = 10;
/** Maximum size of a body from a template of 16 KB. */
const MAX_BYTES = 64 * 1024;

/** Executions that would send 250 KB to a third party for an API request of 100 bytes. */
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
  const responses = new Tally();
  return {
    run: async (until) => {
      const one = async () => {
        while (Date.now() < until) {
          const run = { vars: { a: 'x'.repeat(79) } };
          const response = await member.send('POST', `/v1/actions/${id}/run`, run).catch(() => undefined);
          responses.add(response?.body?.error_message || response?.body?.code || response?.status || 'none');
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
    },
    conclude: async () => {
      const rejected = responses.total - responses.of(200) - responses.of('none');
      return {
        evidence: [
          `responses: ${responses}`,
          `at the target: ${requests} requests, ${bytes} bytes, at most ${largest} in one`,
        ],
        facts: [
          { holds: responses.total > 0, fact: 'the attack took place' },
          { holds: largest <= MAX_BYTES, fact: `no body of more than ${MAX_BYTES} bytes is sent` },
          { holds: rejected > 0, fact: 'the attacker gets the reason why its executions are not sent' },
        ],
      };
    },
  };
};
