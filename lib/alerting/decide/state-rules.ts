import { shown } from '#lib/alerting/policy/policy.ts';
import { iso } from '#lib/platform/time.ts';
import { announcementOf } from './memory.ts';
import type { Rule } from './rule.ts';
import { isSteadyAgain, type Situation } from './situation.ts';

/** What people do to a check themselves is recorded and not announced. */
export const configuration: Rule = {
  name: 'configuration',
  kinds: ['state_change'],
  judge: ({ cause }) => ({ stops: cause !== 'result' && cause !== 'silence', facts: { cause } }),
};

/** A new check that comes up is no news, unless its channels were told of something else. */
export const initial: Rule = {
  name: 'initial',
  kinds: ['state_change'],
  judge: ({ from, to, told, policy }) => ({
    stops: from === 'unknown' && shown(to, policy) === 'up' && told === 'up',
    facts: { from, to, told },
  }),
};

/**
 * Where degraded is not announced it counts as up: between the two nothing happens, and of one that lasts nobody is
 * told that its remediation did not help.
 */
export const degradedOff: Rule = {
  name: 'degraded_off',
  kinds: ['state_change', 'remediation_failed'],
  judge: ({ kind, from, to, policy }) => ({
    stops: kind === 'remediation_failed' ? shown(to, policy) !== to : shown(from, policy) === shown(to, policy),
    facts: { from, to, notify_on_degraded: policy.notify_on_degraded },
  }),
};

/** Alerts follow the check: a recovery is its own change to what counts as up. */
export const recoveryOff: Rule = {
  name: 'recovery_off',
  kinds: ['state_change', 'catch_up'],
  judge: ({ to, policy }) => ({
    stops: shown(to, policy) === 'up' && !policy.notify_on_recovery,
    facts: { to, notify_on_recovery: policy.notify_on_recovery },
  }),
};

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

/** A repeat reminds of a check that is down, as often as its policy says; a step of an escalation calls for it. */
export const repeats: readonly Rule[] = [
  {
    name: 'repeats_off',
    kinds: ['repeat'],
    judge: ({ policy: { repeat_interval_seconds } }) => ({
      stops: repeat_interval_seconds === 0,
      facts: { repeat_interval_seconds },
    }),
  },
  {
    name: 'not_down',
    kinds: ['repeat', 'escalation', 'impact'],
    judge: ({ to }) => ({ stops: to !== 'down', facts: { state: to } }),
  },
];

export const noChannels: Rule = {
  name: 'no_channels',
  kinds: ['state_change', 'repeat', 'catch_up', 'escalation', 'impact', 'acknowledged', 'closed', 'remediation_failed'],
  judge: ({ channels, called_later }) => ({
    stops: channels === 0,
    facts: { channels, ...(called_later !== undefined && { called_later }) },
  }),
};

/** Somebody looks after the failure: it is not repeated, and nobody else is called. What is new is told. */
export const acknowledged: Rule = {
  name: 'acknowledged',
  kinds: ['repeat', 'escalation', 'impact'],
  judge({ acknowledged: by }) {
    return {
      stops: by !== undefined,
      facts: {
        acknowledged_by: by?.by ?? null,
        acknowledged_at: by ? iso(by.at) : null,
        acknowledged_until: by?.until === undefined ? null : iso(by.until),
      },
      ...(by?.until !== undefined && { until: by.until }),
    };
  },
};

/** Only those hear that somebody looks after a failure who were told of it. */
export const notTold: Rule = {
  name: 'not_told',
  kinds: ['acknowledged'],
  judge: ({ told }) => ({ stops: told === 'up', facts: { told } }),
};
