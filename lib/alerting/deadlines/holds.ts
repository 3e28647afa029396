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

/** A held alert whose recheck is due, with its data, read strongly. */
export type HeldCase = Found & {
  check: CheckItem;
  held: HeldAlert;
  /** Epoch ms of the deadline, which an early end of the hold brings forward. */
  due: number;
  /** The last transition of the check: any further change would have ended the hold. */
  transition: DecidedTransition;
};

/** Decides how long an alert is held. Its key in HOLDS is the rule that starts it. */
export type Hold = {
  /** Decides whether it holds an alert, even one that another hold has held before. */
  recheck(env: TenantEnv, account: Pick<AccountItem, 'id' | 'egress'>, held: HeldCase): Promise<Rechecked> | Rechecked;
  /** Whether the first new result of the check decides after the hold. */
  waits_for_result: boolean;
};

export type Rechecked =
  /** Not held by this hold: the next one decides. */
  | { is: 'released' }
  /** Held until the recheck `next`; without it, the hold ends, because all recipients were notified. */
  | { is: 'held'; next?: Deadline; outcome?: Outcome }
  /** The rules decide now, with `extraWrites` in the same transaction. */
  | { is: 'known'; held: HeldAlert; extraWrites: readonly Write[] }
  /** The cause is not known yet, because another process probes or no turn was free: recheck in a second. */
  | { is: 'unsettled' };

/** Holds alerts until the end of a maintenance window, including windows that follow without a gap. */
const maintenance: Hold = {
  waits_for_result: true,
  recheck(_env, _account, { check, policy: { window }, held, now }) {
    if (!window) return { is: 'released' };
    const note = { held: { ...held, reason: 'maintenance' as const, from: window.until, window } };
    return { is: 'held', next: { deadline: Math.max(expectedResultAt(check, window.until), now + 1), note } };
  },
};

/** Holds an alert for a remediation until `from`. The first verdict of the remediation ends the hold early. */
const remediation: Hold = {
  waits_for_result: false,
  recheck(_env, _account, { held, now }) {
    if (held.reason !== 'remediation' || now >= held.from) return { is: 'released' };
    return { is: 'held', next: { deadline: held.from, note: { held } } };
  },
};

/** All holds, in order of evaluation. */
export const HOLDS: Readonly<Record<HoldReason, Hold>> = { dependency, maintenance, remediation };
