import type { IncidentItem } from '#lib/alerting/decide/notified-failure.ts';
import type { Policy } from '#lib/alerting/policy/policy.ts';
import type { WindowItem } from '#lib/alerting/policy/windows.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import type { HeldAlert, HoldReason } from '#lib/schedule/entries.ts';

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
  transition: TransitionItem;
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
