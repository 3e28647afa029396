import type { Cause } from './cause.ts';
import type { Remediation } from './remediation.ts';

export type GuardName =
  | 'already_healthy'
  | 'dependency'
  | 'maintenance'
  | 'acknowledged'
  | 'attempts'
  | 'cooldown'
  | 'lock'
  | 'account_limit'
  | 'storm';

/** All that the guards look at. Plain values; times in epoch ms. */
export type GuardSituation = {
  now: number;
  remediation: Remediation;
  /** The check is well, or has been since the failure that the attempt is for. */
  is_healthy: boolean;
  /** It follows from another failure, or it is being found out whether it does. */
  dependency?: Cause;
  /** Until when a maintenance window lasts that the check is in. */
  window?: { until: number };
  /** Somebody has said that they take care of it. */
  acknowledged?: { by: string };
  /** Made in this series so far, and when the last one began, be it of the series before. */
  attempts: number;
  last_began_at?: number;
  lock_name: string;
  /** Who has the lock, and until when at most. */
  lock?: { execution_id: string; until: number };
  /** Of the account: until when at most each that is at work is, and when those of the last hour began; ascending. */
  running: readonly number[];
  begun: readonly number[];
  /** Checks of the account that went down about when this one did, and whether others depend on its entity. */
  went_down: number;
  is_root: boolean;
};

/**
 * `stops`: why in a sentence, undefined where it lets the attempt pass. `until`: when to look again (epoch ms); without
 * it this failure is done with. `waits`: it is not decided yet, so that there is nothing to record.
 */
type Guarded = { stops?: string; until?: number; waits?: true };

/** Something that an attempt must pass. Pure, and total. */
export type Guard = { name: GuardName; judge(situation: GuardSituation): Guarded };
