import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { enable, makeChecks, resultsOf, slowSettings } from '#test/abuse/checks.ts';
import { rawTarget } from '#test/support/socket-target.ts';

const WORD = 'welcome';
const HEALTHY = `HTTP/1.1 200 OK\r\nContent-Length: ${WORD.length}\r\n\r\n${WORD}`;
const HEAD = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
/** Body with one byte more than the part that is searched, each byte in its own chunk: 6 MB on the wire. */
const CHUNKS = Buffer.from('1\r\na\r\n'.repeat(2 ** 20 + 1));

/**
 * Targets that respond in chunks of one byte.
 * @param searched whether the checks search the body for a word, so that it must be read
 */
export const chunks =
  (count: number, { searched }: { searched: boolean }): Attack =>
  async ({ member, seconds, stack }) => {
    let armed = true;
    let requests = 0;
    const target = stack.use(
      await rawTarget((socket) => {
        socket.once('data', () => {
          if (!armed) return socket.end(HEALTHY);
          requests++;
          socket.write(HEAD);
          return socket.end(CHUNKS);
        });
      }, HOSTILE),
    );
    const { ids, limit } = await makeChecks(member, count, (n) => ({
      check_type: 'http',
      target_url: `${target.url}/${n}`,
      ...(searched && { body_contains: WORD }),
      ...slowSettings(seconds),
    }));
    let began = 0;
    return {
      run: async (until) => {
        began = Date.now();
        await enable(member, ids);
        await pause(until - Date.now());
        armed = false;
      },
      conclude: async () => {
        const outcomes = new Tally();
        const results = (await resultsOf(member, ids, began)).flat();
        for (const { success, error_message } of results) outcomes.add(success ? 'up' : error_message);
        const refused = results.filter(({ error_message }) => /chunk|piece/i.test(error_message)).length;
        return {
          evidence: [`responses in chunks of one byte: ${requests}; results: ${outcomes}`, ...(limit ? [limit] : [])],
          facts: [
            { holds: requests > 0, fact: 'the attack took place' },
            searched
              ? { holds: refused > 0, fact: 'results report that the chunks of the body are too small' }
              : { holds: outcomes.of('up') > 0, fact: 'a body that is not searched is not awaited' },
          ],
        };
      },
    };
  };
