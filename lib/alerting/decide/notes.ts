import type * as schedule from '#lib/schedule/entries.ts';
import type { HoldReason } from './rules.ts';

/** Epoch ms at which all deliveries of an alert had failed, and how many tries to make it good were made since. */
export type RetrySeries = { failed_at: number; tries: number };

/** Catch-up: a try of a series is due, if it has one. */
export type DeadlineNote = Partial<RetrySeries> & {
  /** Catch-up: channels may believe something else than what was announced last. */
  misled?: true;
  /** Escalation: nobody who was called could be told, so that its step does not wait for its time. */
  at_once?: true;
  /** Hold: the alert that is held. */
  held?: HeldAlert;
};

/** A deadline of alerting (epoch ms), and why it is one. */
export type Deadline = schedule.Deadline<DeadlineNote>;

/** A deadline of alerting as it is stored. */
export type DeadlineEntry = schedule.DeadlineEntry<DeadlineNote>;

/**
 * An alert that is held: that of a check's last transition, of which a check has one at most. Whatever holds it looks
 * at the deadline `hold`, and in the end it is released or skipped (lib/alerting/deadlines).
 */
export type HeldAlert = {
  /** Sort key of its transition, under the check. */
  transition_sk: string;
  reason: HoldReason;
  /**
   * Epoch ms: the check's own first result at or after it decides, once nothing holds it any more; of a repair, until
   * when that is waited for.
   */
  from: number;
  /** What was to repair it first has had its time. */
  repaired?: true;
  /** The maintenance window that holds it, or held it last, and until when (epoch ms). */
  window?: { id: string; until: number; include_dependents?: true };
  /** It is not the alert of the transition, but one that a cooldown had put off. */
  kind?: 'late';
  /** The entity whose failure explains it, under which it is held. */
  root?: string;
  /** Where it was told all the same: destinations. */
  told?: string[];
  /** All of them had been told of trouble before, and believe that it lasts. */
  knew?: true;
};

/** Pure: merges a wanted deadline into the stored one: the earlier time and both notes; of two series the later one. */
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
