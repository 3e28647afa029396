import type { Rule } from '#lib/alerting/decide/rule.ts';
import type { Silence } from '#lib/alerting/policy/policy.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';

/** So far ahead (ms) lies the look at what an entity's silence without an end holds back; whoever lifts it wakes it. */
const NO_END_MS = 30 * DAY_MS;

/**
 * When what a silence holds back is looked at (epoch ms); undefined where nothing has to be: whoever lifts the silence
 * of a check itself has it looked at.
 */
export function silenceLook(silence: Silence | undefined, now: number): number | undefined {
  if (silence?.until !== undefined) return silence.until;
  return silence?.by === 'entity' ? now + NO_END_MS : undefined;
}

/** Somebody holds all alerts of the check back. */
export const silenced: Rule = {
  name: 'silenced',
  kinds: ['state_change', 'repeat', 'catch_up', 'escalation', 'impact', 'acknowledged', 'closed', 'remediation_failed'],
  judge({ policy, silence, at }) {
    const until = silenceLook(silence, at);
    return {
      stops: policy.silenced,
      facts: {
        silenced: policy.silenced,
        ...(silence && {
          silenced_by: silence.by,
          silence_id: silence.id,
          silenced_until: silence.until === undefined ? null : iso(silence.until),
          silence_reason: silence.reason,
        }),
      },
      ...(until !== undefined && { until }),
    };
  },
};
