import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { enable, makeChecks, resultsOf, slowSettings } from '#test/abuse/checks.ts';
import { gapsOf } from '#test/abuse/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { httpTarget } from '#test/support/socket-target.ts';

/** Time for each slot to get its result, or to become a gap. */
const PATIENCE_MS = 40_000;
const POLL_MS = 2_000;

/** Checks of a target that accepts every request and never responds. */
export const slowChecks =
  (count: number): Attack =>
  async ({ member, seconds, stack }) => {
    let open = 0;
    let most = 0;
    const target = stack.use(
      await httpTarget((_request, response) => {
        most = Math.max(most, ++open);
        response.on('close', () => open--);
      }, HOSTILE),
    );
    const { ids, limit } = await makeChecks(member, count, (n) => ({
      check_type: 'http',
      target_url: `${target.url}/${n}`,
      ...slowSettings(seconds),
    }));
    let began = 0;
    return {
      run: async (until) => {
        began = Date.now();
        await enable(member, ids);
        await pause(until - Date.now());
      },
      conclude: async () => {
        const complete = await eventually(async () => {
          // Each poll sends two requests per check, which count towards the limits.
          await pause(POLL_MS);
          const gaps = await gapsOf(member, ids);
          const results = await resultsOf(member, ids, began);
          const withoutResult = results.filter((list) => list.length === 0).length;
          return (
            withoutResult <= (gaps.late ?? 0) && results.flat().some(({ success }) => !success) && { gaps, results }
          );
        }, PATIENCE_MS).catch(() => undefined);
        const outcomes = new Tally();
        for (const { success, error_kind } of complete?.results.flat() ?? []) outcomes.add(success ? 'up' : error_kind);
        return {
          evidence: [
            `open at once: ${most}; results: ${outcomes}; gaps: ${JSON.stringify(complete?.gaps ?? {})}`,
            ...(limit ? [limit] : []),
          ],
          facts: [
            { holds: most > 0, fact: 'the attack took place' },
            {
              holds: complete !== undefined,
              fact: 'each check of the attacker has results, or gaps with the cause "late"',
            },
          ],
        };
      },
    };
  };
