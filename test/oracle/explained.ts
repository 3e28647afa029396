import { isDeepStrictEqual } from 'node:util';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { explainTransition } from '#lib/alerting/explain/explain-transition.ts';
import { changesIn, type Inside } from './inside.ts';

const VERDICTS = { planned: 'alerted', held: 'held', skipped: 'skipped' };

/** Texts of missing values, which an explanation never contains. */
const MISSING = /undefined|null|NaN|unknown/;

/**
 * Promise: the explanation of a transition has the verdict of its decision, the rule that stopped the alert, and the
 * facts of that rule. Each sampled time is explained; a time during a failure has the verdict of the decision about it.
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
      if (sentence === '' || MISSING.test(sentence))
        wrong.push(`check ${id} at ${at} has the explanation "${sentence}"`);
      const last = decided.get(transition_id ?? '');
      const isDown = last && ['down', 'degraded'].includes(last.check_to_state);
      if (isDown && verdict !== VERDICTS[last.alert.decision])
        wrong.push(
          `check ${id} at ${at} has the verdict ${verdict}, but transition ${transition_id} was ${last.alert.decision}`,
        );
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
        wrong.push(`transition ${id} was ${alert.decision}, but has the verdict ${verdict}`);
      // For a held alert the rules explain why it was held; its later outcome is in its decision.
      const isFirst = alert.decided_at === transition.timestamp;
      if (isFirst && (stopped?.rule ?? null) !== alert.reason)
        wrong.push(`transition ${id} has the reason ${alert.reason}, but is explained by the rule ${stopped?.rule}`);
      if (isFirst && !isDeepStrictEqual(stopped?.facts ?? {}, alert.facts))
        wrong.push(
          `transition ${id} has the facts ${JSON.stringify(alert.facts)}, but is explained by ${JSON.stringify(stopped?.facts)}`,
        );
      if (MISSING.test(sentence)) wrong.push(`transition ${id} has the explanation "${sentence}"`);
      return wrong;
    });
