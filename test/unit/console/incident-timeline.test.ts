import { describe, expect, it } from 'vitest';
import type { State, TimelineEntry } from '#console/api/records.ts';
import { explainedEntries, timelineLines } from '#console/rules/incident-timeline.ts';

const START = Date.parse('2026-11-22T12:00:00.000Z');

/** Returns an entry at a number of minutes after the start. */
const entry = (minute: number, more: Partial<TimelineEntry>): TimelineEntry => ({
  id: `evt_${minute}`,
  at: new Date(START + minute * 60_000).toISOString(),
  kind: 'note',
  by: null,
  text: '',
  transition: null,
  alert: null,
  ...more,
});

const change = (minute: number, check_id: string, check_to_state: State): TimelineEntry =>
  entry(minute, {
    kind: 'transition',
    transition: {
      transition_id: `trn_${minute}`,
      entity_id: 'ent_1',
      entity_name: 'Web shop',
      check_id,
      check_label: 'checkout',
      check_from_state: 'unknown',
      check_to_state,
      to_state: check_to_state,
      error_message: '',
    },
  });

const alert = (minute: number, check_id: string): TimelineEntry =>
  entry(minute, {
    kind: 'alert',
    alert: {
      alert_id: `alr_${minute}`,
      alert_kind: 'state_change',
      urgency: 'high',
      check_id,
      entity_id: 'ent_1',
      reports_state: 'down',
      root_entity_id: null,
      to: [],
    },
  });

const shown = (entries: readonly TimelineEntry[]) =>
  timelineLines(entries).map(({ entries: { length }, downs, alerts, lasted }) => [
    length,
    downs,
    alerts,
    lasted / 60_000,
  ]);

describe('timeline of an incident', () => {
  it('joins the changes and alerts of a check that was down several times', () => {
    const flapping = [
      change(10, 'chk_1', 'up'),
      change(8, 'chk_1', 'down'),
      alert(7, 'chk_1'),
      change(6, 'chk_1', 'up'),
      change(0, 'chk_1', 'down'),
    ];
    expect(shown(flapping)).toEqual([[5, 2, 1, 10]]);
  });

  it('does not join a single outage, changes of other checks, or notes', () => {
    const single = [change(2, 'chk_1', 'up'), alert(1, 'chk_1'), change(0, 'chk_1', 'down')];
    expect(shown(single).map(([length]) => length)).toEqual([1, 1, 1]);
    const mixed = [
      change(4, 'chk_1', 'down'),
      entry(3, { text: 'on it' }),
      change(2, 'chk_2', 'down'),
      change(1, 'chk_1', 'down'),
    ];
    expect(shown(mixed).map(([length]) => length)).toEqual([1, 1, 1, 1]);
  });

  it('explains only the newest change of each check', () => {
    const entries = [
      alert(4, 'chk_1'),
      change(3, 'chk_1', 'up'),
      change(2, 'chk_2', 'down'),
      change(1, 'chk_1', 'down'),
    ];
    expect([...explainedEntries(entries)]).toEqual(['evt_3', 'evt_2']);
  });
});
