import { describe, expect, it } from 'vitest';
import { decideByCause, NO_PROGRESS } from '#lib/alerting/cause/cause-decision.ts';
import type { CauseAnalysis } from '#lib/alerting/cause/root-causes.ts';
import type { NotifiedFailure } from '#lib/alerting/decide/notified-failure.ts';

const NOW = 10_000_000;
const DB = 'ent_db';

const analysis = (more: Partial<CauseAnalysis> = {}): CauseAnalysis => ({
  ...{ explained: false, settled: true, truncated: false },
  ...{ roots: [], survived: [], ancestors: [] },
  ...more,
});
const causedByDb = (confirmed = true): CauseAnalysis =>
  analysis({ explained: true, roots: [{ entity_id: DB, confirmed, since: NOW - 5000 }] });

const failure = (more: Partial<NotifiedFailure> = {}): NotifiedFailure => ({
  ...{ root_entity_id: DB, since: NOW - 5000, notified_at: {} },
  ...more,
});

type Given = Partial<Parameters<typeof decideByCause>[0]>;
const decideWith = (given: Given) =>
  decideByCause({
    ...{ progress: NO_PROGRESS, analysis: analysis(), waiting: ['a', 'b'], now: NOW },
    ...{
      notifiedFailures: new Map([[DB, failure()]]),
      pending: new Map<string, number>(),
      windows: new Map(),
      recoveries: new Map<string, number>(),
    },
    ...{ down_at: NOW - 1000, cooldown_ms: 300_000, settle_ms: 60_000, firstResultBy: (time: number) => time + 10_000 },
    ...given,
  });
const notified = (times: Record<string, number>, more: Partial<NotifiedFailure> = {}) =>
  new Map([
    [DB, failure({ notified_at: Object.fromEntries(Object.entries(times).map(([one, at]) => [one, [at]])), ...more })],
  ]);

/** Progress of an alert held under the database. */
const held = { explained: 1, under: DB, recovered: null };

describe('decideByCause with a cause', () => {
  it('alerts only destinations that were not notified of the root cause, and names it', () => {
    const decision = decideWith({ analysis: causedByDb(), notifiedFailures: notified({ a: NOW - 4000 }) });
    expect(decision.notify).toEqual([{ destination: 'b', urgency: 'high' }]);
    expect(decision).toMatchObject({ root: DB, wait: ['a'], progress: { under: DB, explained: 1 } });
  });

  it('rechecks a suspected cause soon, and a confirmed one at growing intervals', () => {
    const notifiedFailures = notified({ a: NOW - 1000, b: NOW - 1000 });
    expect(decideWith({ analysis: causedByDb(false), notifiedFailures }).recheck_at).toBe(NOW + 15_000);
    const recheckAfter = (explained: number) =>
      decideWith({ analysis: causedByDb(), notifiedFailures, progress: { ...held, explained } }).recheck_at;
    expect([0, 1, 2, 9].map(recheckAfter)).toEqual([60_000, 120_000, 300_000, 300_000].map((ms) => NOW + ms));
  });

  it('counts a notification before the failure of the root cause if it is within the cooldown', () => {
    const notifiedAgo = (ms: number) =>
      decideWith({ analysis: causedByDb(), waiting: ['a'], notifiedFailures: notified({ a: NOW - ms }) });
    expect(notifiedAgo(299_990)).toMatchObject({ notify: [], recheck_at: NOW + 10 });
    expect(notifiedAgo(300_000)).toMatchObject({ notify: [{ destination: 'a' }] });
  });

  it('waits for the end of the maintenance window when every root cause is in one', () => {
    const planned = { id: 'win_a', until: NOW + 90_000, include_dependents: true as const };
    const windows = new Map([[DB, planned]]);
    const decision = decideWith({ analysis: causedByDb(), windows });
    expect(decision).toMatchObject({ notify: [], wait: ['a', 'b'], recheck_at: NOW + 100_000, window: planned });
    expect(decision.progress).toMatchObject({ under: DB });
    const another = { entity_id: 'ent_net', confirmed: true, since: NOW - 1000 };
    const both = causedByDb();
    const more = decideWith({ analysis: { ...both, roots: [...both.roots, another] }, windows });
    expect(more).toMatchObject({ root: 'ent_net', notify: [{ destination: 'a' }, { destination: 'b' }] });
    expect(more.window).toBeUndefined();
  });

  it('alerts with low urgency after a recent notification if there is no cooldown', () => {
    const notifiedAgo = (ms: number) =>
      decideWith({
        analysis: causedByDb(),
        waiting: ['a'],
        cooldown_ms: 0,
        notifiedFailures: notified({ a: NOW - ms }),
      }).notify;
    expect(notifiedAgo(299_999)).toEqual([{ destination: 'a', urgency: 'low' }]);
    expect(notifiedAgo(300_000)).toEqual([{ destination: 'a', urgency: 'high' }]);
  });

  it('counts a notification by another process with a slightly fast clock', () => {
    const notifiedAhead = (ms: number) =>
      decideWith({ analysis: causedByDb(), waiting: ['a'], notifiedFailures: notified({ a: NOW + ms }) });
    expect(notifiedAhead(41)).toMatchObject({ notify: [], wait: ['a'] });
    // A larger difference comes from a clock that was set back.
    expect(notifiedAhead(3_600_000)).toMatchObject({ notify: [{ destination: 'a', urgency: 'high' }] });
  });

  it('waits while the alert of the root cause is held', () => {
    const decision = (at: number) => decideWith({ analysis: causedByDb(), pending: new Map([[DB, at]]) });
    expect(decision(NOW - 10)).toMatchObject({ notify: [], wait: ['a', 'b'], recheck_at: NOW + 5000 });
    // The recheck follows that of the root cause, but is within 65 s, because the root cause can be decided early.
    expect(decision(NOW + 40_000).recheck_at).toBe(NOW + 45_000);
    expect(decision(NOW + 600_000).recheck_at).toBe(NOW + 65_000);
  });
});

describe('decideByCause without a cause', () => {
  it('alerts all destinations immediately', () => {
    expect(decideWith({})).toMatchObject({
      notify: [{ destination: 'a' }, { destination: 'b' }],
      root: null,
      recheck_at: undefined,
    });
  });

  it('waits for the settling time and the next result after the recovery of the cause', () => {
    const first = decideWith({ progress: held, recoveries: new Map([[DB, NOW - 5_000]]) });
    expect(first).toMatchObject({
      notify: [],
      progress: { recovered: { first: NOW, last: NOW } },
      recheck_at: NOW + 70_000,
    });
    const at = (now: number) => decideWith({ progress: first.progress, now }).recheck_at;
    expect(at(NOW + 69_999)).toBe(NOW + 70_000);
    expect(at(NOW + 70_000)).toBeUndefined();
  });

  it('waits again when another upstream entity recovers, up to ten minutes in total', () => {
    const progress = { ...held, recovered: { first: NOW - 590_000, last: NOW - 50_000 } };
    const recoveries = new Map([
      [DB, NOW - 590_000],
      ['ent_api', NOW - 1000],
    ]);
    expect(decideWith({ progress, recoveries }).recheck_at).toBe(NOW + 10_000 + 10_000);
    const recent = { ...progress, recovered: { first: NOW - 100_000, last: NOW - 50_000 } };
    expect(decideWith({ progress: recent, recoveries }).recheck_at).toBe(NOW + 59_000 + 10_000);
  });

  it('also waits if a notified root cause recovered shortly before the failure', () => {
    const recoveredAgo = (ms: number) =>
      notified({ a: NOW - 400_000 }, { since: NOW - 500_000, recovered_at: NOW - 1000 - ms });
    expect(decideWith({ notifiedFailures: recoveredAgo(20_000) })).toMatchObject({
      notify: [{ destination: 'b' }],
      wait: ['a'],
    });
    expect(decideWith({ notifiedFailures: recoveredAgo(300_000) }).notify).toHaveLength(2);
  });

  it('alerts with low urgency after a recent alert about a failure that the check survived', () => {
    const survived = [{ entity_id: DB, confirmed: true, since: NOW - 200_000 }];
    const decision = decideWith({
      analysis: analysis({ survived }),
      notifiedFailures: notified({ a: NOW - 299_999, b: NOW - 300_000 }, { since: NOW - 400_000 }),
    });
    expect(decision.notify.map(({ urgency }) => urgency)).toEqual(['low', 'high']);
  });
});
