import { firstResultAt } from '#lib/alerting/decide/first-result.ts';
import type { HoldReason } from '#lib/alerting/decide/rules.ts';
import { dependency } from './dependency-hold.ts';
import type { Hold } from './hold.ts';

/** A maintenance window holds until it is over; one that follows at once goes on with it. */
const maintenance: Hold = {
  waits_for_result: true,
  recheck(_env, _account, { check, policy: { window }, held, now }) {
    if (!window) return { is: 'released' };
    const note = { held: { ...held, reason: 'maintenance' as const, from: window.until, window } };
    return { is: 'held', next: { deadline: Math.max(firstResultAt(check, window.until), now + 1), note } };
  },
};

/** What is to repair a failure first holds its alert until the first verdict, which ends it before its time. */
const remediation: Hold = {
  waits_for_result: false,
  recheck(_env, _account, { held, now }) {
    if (held.reason !== 'remediation' || now >= held.from) return { is: 'released' };
    return { is: 'held', next: { deadline: held.from, note: { held } } };
  },
};

/** All holds, in the order in which they are asked. */
export const HOLDS: Readonly<Record<HoldReason, Hold>> = { dependency, maintenance, remediation };
