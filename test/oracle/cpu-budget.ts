import type { Inside } from './inside.ts';

/** CPU time of a tenant per second, and maximum unused time that it saves (ms); docs/operate/limits.md#cpu-budget. */
const [PER_SECOND_MS, SAVED_MS] = [200, 1_000];
const WINDOW_MS = 20_000;
/** Maximum CPU time of a call (ms): 20 expressions of a check, as the simulation counts them. */
const CALL_MS = 6_000;

/** Promise: expressions of a tenant take no more CPU time in a process than its budget plus one call. */
export function checkCpuBudget({ seen, profile }: Inside): string[] {
  // A forward jump of a clock adds to the budget.
  if (profile.jumpMs > 0) return [];
  const wrong: string[] = [];
  for (const [process, all] of Map.groupBy(seen.searches, (one) => one.process)) {
    for (const [i, { at }] of all.entries()) {
      const used = all.slice(0, i + 1).reduce((sum, one) => sum + (one.at > at - WINDOW_MS ? one.used_ms : 0), 0);
      const allowed = SAVED_MS + (WINDOW_MS / 1_000) * PER_SECOND_MS + CALL_MS;
      if (used > allowed) {
        wrong.push(`process ${process}: ${used} ms of CPU in the ${WINDOW_MS} ms before ${at}, more than ${allowed}`);
        break;
      }
    }
  }
  return wrong;
}
