import type { Holder } from '#lib/alerting/deadlines/hold.ts';

/** What is to repair a failure first holds its alert until the first verdict, which ends it before its time. */
export const remediation: Holder = {
  reason: 'remediation',
  look(_env, { held: { reason, from }, now }) {
    return reason === 'remediation' && now < from ? { again: from, from } : undefined;
  },
};
