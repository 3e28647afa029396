import { isDeepStrictEqual } from 'node:util';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { explainTransition } from '#lib/alerting/explain/explain-transition.ts';
import { changesIn, type Inside } from './inside.ts';

const VERDICTS = { planned: 'alerted', held: 'held', skipped: 'skipped' };

/** What a sentence never says. */
const NOTHING = /undefined|null|NaN|unknown/;

/**
 * What is explained of a transition is what was decided: its verdict, the rule that stopped it, and what that saw. Of
 * every moment something is said, and of one in a failure what was decided of that.
 */
export const checkExplained = (inside: Inside): string[] => [...checkTransitions(inside), ...checkMoments(inside)];

function checkMoments({ seen, shown }: Inside): string[] {
  const decided = new Map(
    [...seen.table.values()]
      .filter((item): item is DecidedTransition => item.sk.startsWith('TR#'))
      .map((one) => [one.transition_id, one]),
  );
  return [...shown].flatMap(([id, { explained }]) =>
    explained.flatMap(({ at, verdict, sentence, transition_id }) => {
      const wrong: string[] = [];
      if (sentence === '' || NOTHING.test(sentence)) wrong.push(`${id} at ${at} is explained as "${sentence}"`);
      const last = decided.get(transition_id ?? '');
      const isDown = last && ['down', 'degraded'].includes(last.check_to_state);
      if (isDown && verdict !== VERDICTS[last.alert.decision])
        wrong.push(`${id} at ${at} is explained as ${verdict}, and ${transition_id} was ${last.alert.decision}`);
      return wrong;
    }),
  );
}

const checkTransitions = ({ seen }: Inside): string[] =>
  changesIn(seen)
    .filter(({ key, after }) => key.sk.startsWith('TR#') && after)
    .flatMap(({ after }) => {
      const transition = after as DecidedTransition;
      const { transition_id: id, alert } = transition;
      const { verdict, sentence, rules } = explainTransition(transition);
      const stopped = rules.find(({ outcome }) => outcome === 'stop');
      const wrong: string[] = [];
      if (verdict !== VERDICTS[alert.decision])
        wrong.push(`${id} was ${alert.decision}, and is explained as ${verdict}`);
      // Of one that was held, the rules tell why; what became of it later is in its decision.
      const isFirst = alert.decided_at === transition.timestamp;
      if (isFirst && (stopped?.rule ?? null) !== alert.reason)
        wrong.push(`${id} was decided as ${alert.reason}, and is explained by ${stopped?.rule}`);
      if (isFirst && !isDeepStrictEqual(stopped?.facts ?? {}, alert.facts))
        wrong.push(`${id} saw ${JSON.stringify(alert.facts)}, and is explained by ${JSON.stringify(stopped?.facts)}`);
      if (NOTHING.test(sentence)) wrong.push(`${id} is explained as "${sentence}"`);
      return wrong;
    });
