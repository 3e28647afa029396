import { announcementOf } from '#lib/health/state/announced.ts';
import type { Rule } from './rule.ts';
import { isSteadyAgain, type Situation } from './situation.ts';

/** A catch-up corrects what channels believe, and a closing note what they believe of a check that goes away. */
export const catchUpOff: Rule = {
  name: 'catch_up_off',
  kinds: ['catch_up', 'closed'],
  judge: ({ policy: { catch_up }, asked = false }) => ({ stops: !catch_up && !asked, facts: { catch_up } }),
};

/** Of a check that was not judged yet there is nothing to tell. */
export const notWatched: Rule = {
  name: 'not_watched',
  kinds: ['catch_up'],
  judge: ({ to }) => ({ stops: to === 'unknown', facts: { state: to } }),
};

/** What channels know already is told again only if they may have it in the wrong order, or were promised to hear. */
export const toldAlready: Rule = {
  name: 'told_already',
  kinds: ['catch_up', 'closed'],
  judge(situation) {
    const { told, to } = situation;
    return { stops: !isNews(situation), facts: { told, state: to } };
  },
};

/** A closing note lets channels believe nothing but up. */
function isNews(situation: Situation): boolean {
  const { kind, told, to, policy, misled } = situation;
  if (kind === 'closed') return told !== 'up';
  return announcementOf(to, policy) !== told || misled === true || isSteadyAgain(situation);
}
