import type * as schedule from '#lib/schedule/entries.ts';
import type { HoldReason } from './rules.ts';

/** Epoch ms at which all deliveries of an alert failed, and the number of retries since. */
export type RetrySeries = { failed_at: number; tries: number };

/** The note of a deadline. `failed_at` and `tries`: the retry series that a late alert continues. */
export type DeadlineNote = Partial<RetrySeries> & {
  /** Late alert: channels possibly received alerts in the wrong order. */
  out_of_order?: true;
  /** Escalation: the step is due before its time, such as after one that did not reach its recipients. */
  at_once?: true;
  held?: HeldAlert;
};

/** A deadline of alerting (epoch ms) with its note. */
export type Deadline = schedule.Deadline<DeadlineNote>;

export type DeadlineEntry = schedule.DeadlineEntry<DeadlineNote>;

/** The held alert about the last transition of a check; the deadline `hold` rechecks it (lib/alerting/deadlines). */
export type HeldAlert = {
  /** Sort key of its transition, under the check. */
  transition_sk: string;
  reason: HoldReason;
  /** Epoch ms: once nothing holds it, the first result at or after this time decides. Remediation: end of the wait. */
  from: number;
  /** Set if the alert no longer waits for a remediation. */
  skips_remediation?: true;
  /** The maintenance window that holds or last held it; `until` in epoch ms. */
  window?: { id: string; until: number; include_dependents?: true };
  /** Set if it is a late alert, not the alert of the transition. */
  kind?: 'late';
  /** Root cause: the entity under which it is held. */
  root?: string;
  /** Destinations that were notified although it is held. */
  notified?: string[];
  /** Set if the last notified state was not up when a hold for a root cause began. */
  had_alert?: true;
};

/**
 * Merges a new deadline into the stored one: the earlier time, and both notes. If both have a property, the note with
 * the later retry series wins, else the new note. Pure.
 */
export function mergeDeadline(present: Deadline | undefined, wanted: Deadline): Deadline {
  if (!present) return wanted;
  const note = isLaterSeries(present.note, wanted.note)
    ? { ...wanted.note, ...present.note }
    : { ...present.note, ...wanted.note };
  return { deadline: Math.min(present.deadline, wanted.deadline), ...(Object.keys(note).length > 0 && { note }) };
}

function isLaterSeries(one: DeadlineNote = {}, other: DeadlineNote = {}): boolean {
  const [a, b] = [one.failed_at ?? 0, other.failed_at ?? 0];
  return a > b || (a === b && (one.tries ?? 0) > (other.tries ?? 0));
}
