import type { Ancestry } from '#lib/alerting/cause/find-cause.ts';
import type { HoldItem } from '#lib/alerting/cause/hold-item.ts';
import { firstResultAt } from '#lib/alerting/decide/first-result.ts';
import type { Deadline, HeldAlert } from '#lib/alerting/decide/notes.ts';
import type { IncidentItem } from '#lib/alerting/decide/notified-failure.ts';
import type { Pages } from '#lib/alerting/decide/page-budget.ts';
import type { HoldReason } from '#lib/alerting/decide/rules.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { Policy } from '#lib/alerting/policy/policy.ts';
import type { WindowItem } from '#lib/alerting/policy/windows.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';

/** A held alert whose deadline has come, read strongly. */
export type HeldCase = {
  check: CheckItem;
  entity: EntityItem;
  /** Who was told of its failure, where others depend on it. */
  incident: IncidentItem | undefined;
  policy: Policy;
  held: HeldAlert;
  /** Of the account. */
  windows: readonly WindowItem[];
  /** Epoch ms at which it was due; where what held it ended before its time, when that was. */
  due: number;
  /** The check's last one: any further change would have ended the hold. */
  transition: DecidedTransition;
  /** Epoch ms. */
  now: number;
};

/** It is held on: looked at again at `again`; what the check does from `from` on decides. Both epoch ms. */
type HeldOn = Pick<HeldAlert, 'from' | 'window'> & { again: number };

/**
 * Something that may hold an alert. A new one is a file here, a word in the list (release.ts) and its reason
 * (schedule/entries.ts); the rule that holds at first is one of health/alerting/rules.
 */
export type Holder = {
  reason: HoldReason;
  /** Undefined when it holds the alert no more. */
  look(env: Env, held: HeldCase): Promise<HeldOn | undefined> | HeldOn | undefined;
};

/** A maintenance window holds until it is over; one that follows at once goes on with it. */
export const maintenance: Holder = {
  reason: 'maintenance',
  look(_env, { check, policy: { window } }) {
    if (!window) return undefined;
    return { again: firstResultAt(check, window.until), from: window.until, window };
  },
};

/** What is to repair a failure first holds its alert until the first verdict, which ends it before its time. */
export const remediation: Holder = {
  reason: 'remediation',
  look(_env, { held: { reason, from }, now }) {
    return reason === 'remediation' && now < from ? { again: from, from } : undefined;
  },
};

/** A held alert whose cause is looked for, with all that was read. */
export type Search = {
  one: HeldCase;
  stored: HoldItem | undefined;
  ancestry: Ancestry;
  /** Entities whose own alert is held, and when that is looked at next (epoch ms). */
  pending: ReadonlyMap<string, number>;
  /** When those who wait were paged. */
  pages: Pages;
};

/**
 * What is to be written, and when to look again; without `next` nothing is held any more. `deadlines` begin then. Or
 * the rules of alerting decide on it, `writes` beside.
 */
export type Found =
  | { writes: Write[]; next?: Deadline; deadlines: DueDeadline[] }
  | { writes: Write[]; decide: HeldCase };
