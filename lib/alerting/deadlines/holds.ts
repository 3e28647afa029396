import type { AccountItem } from '#lib/access/account.ts';
import type { TenantEnv } from '#lib/access/context.ts';
import type { Found } from '#lib/alerting/decide/check-alerting.ts';
import { expectedResultAt } from '#lib/alerting/decide/first-result.ts';
import type { Deadline, HeldAlert } from '#lib/alerting/decide/notes.ts';
import type { HoldReason } from '#lib/alerting/decide/rules.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { Outcome } from './commit-outcome.ts';
import { dependency } from './dependency-hold.ts';

/** A held alert whose deadline has come, read strongly. */
export type HeldCase = Found & {
  check: CheckItem;
  held: HeldAlert;
  /** Epoch ms at which it was due; if what held it ended before its time, the time of that. */
  due: number;
  /** The last transition of the check: any further change would have ended the hold. */
  transition: DecidedTransition;
};

/** Something that may hold an alert. Its reason is the name of the rule that holds the alert at first. */
export type Hold = {
  /** Says whether it still holds an alert, which another hold may have held so far. */
  recheck(env: TenantEnv, account: Pick<AccountItem, 'id' | 'egress'>, held: HeldCase): Promise<Rechecked> | Rechecked;
  /** Whether the first own result of the check decides, once no hold holds the alert. */
  waits_for_result: boolean;
};

/** What comes of a recheck. */
export type Rechecked =
  /** It does not hold the alert: the next hold is asked. */
  | { is: 'released' }
  /** It is rechecked at `next`; without it, nothing is held any more: all who waited are notified, or need not be. */
  | { is: 'held'; next?: Deadline; outcome?: Outcome }
  /** The rules decide at once, with `beside` in the same transaction. */
  | { is: 'known'; held: HeldAlert; beside: readonly Write[] }
  /** Another recheck is finding out: rechecked in a second. */
  | { is: 'asked' };

/** A maintenance window holds until it is over; one that follows at once goes on with it. */
const maintenance: Hold = {
  waits_for_result: true,
  recheck(_env, _account, { check, policy: { window }, held, now }) {
    if (!window) return { is: 'released' };
    const note = { held: { ...held, reason: 'maintenance' as const, from: window.until, window } };
    return { is: 'held', next: { deadline: Math.max(expectedResultAt(check, window.until), now + 1), note } };
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
