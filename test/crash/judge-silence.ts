import type { Life } from './lives.ts';
import type { Push } from './load.ts';
import type { Story } from './told.ts';

/**
 * Synthetic failures of a push check: each stands for a whole grace in which the service ran, and in which it had
 * answered no push.
 */
export function judgeSilence(results: Story['feed'], pushes: Push[], lives: Life[], graceMs: number): string[] {
  return results
    .filter((one) => one.error_kind === 'silence')
    .flatMap(({ id, checked_at }) => {
      const at = Date.parse(checked_at);
      const since = at - graceMs;
      const life = lives.findLast((one) => one.spawned_at <= at);
      const heard = pushes.find(({ sent_at, answer }) => answer && sent_at > since && answer.at <= at);
      const what = `the silence ${id} at ${checked_at}`;
      if (!life || since < life.spawned_at || (life.gone_at ?? at) < at)
        return [`${what} counts time that nobody watched`];
      return heard ? [`${what} overrules the push that was sent at ${new Date(heard.sent_at).toISOString()}`] : [];
    });
}
