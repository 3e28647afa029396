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
const byDb = (confirmed = true): CauseAnalysis =>
  analysis({ explained: true, roots: [{ entity_id: DB, confirmed, since: NOW - 5000 }] });

const incident = (more: Partial<NotifiedFailure> = {}): NotifiedFailure => ({
  ...{ root_entity_id: DB, since: NOW - 5000, told: {} },
  ...more,
});

type Given = Partial<Parameters<typeof decideByCause>[0]>;
const lookAt = (given: Given) =>
  decideByCause({
    ...{ hold: NO_PROGRESS, analysis: analysis(), waiting: ['a', 'b'], now: NOW },
    ...{
      incidents: new Map([[DB, incident()]]),
      pending: new Map<string, number>(),
      windows: new Map(),
      recoveries: new Map<string, number>(),
    },
    ...{ down_at: NOW - 1000, cooldown_ms: 300_000, settle_ms: 60_000, firstResultBy: (time: number) => time + 10_000 },
    ...given,
  });
const told = (by: Record<string, number>, more: Partial<NotifiedFailure> = {}) =>
  new Map([[DB, incident({ told: Object.fromEntries(Object.entries(by).map(([one, at]) => [one, [at]])), ...more })]]);

/** Withheld under the database, as a look found it that time. */
const withheld = { explained: 1, under: DB, recovered: null };

describe('a look at a failure that is explained', () => {
  it('alerts whoever was not told of the root, with its name, and nobody else', () => {
    const seen = lookAt({ analysis: byDb(), incidents: told({ a: NOW - 4000 }) });
    expect(seen.notify).toEqual([{ destination: 'b', urgency: 'high' }]);
    expect(seen).toMatchObject({ root: DB, wait: ['a'], hold: { under: DB, explained: 1 } });
  });

  it('looks again soon at one that is suspected, and less and less often at one that is confirmed', () => {
    const incidents = told({ a: NOW - 1000, b: NOW - 1000 });
    expect(lookAt({ analysis: byDb(false), incidents }).recheck_at).toBe(NOW + 15_000);
    const lookAfter = (explained: number) =>
      lookAt({ analysis: byDb(), incidents, hold: { ...withheld, explained } }).recheck_at;
    expect([0, 1, 2, 9].map(lookAfter)).toEqual([60_000, 120_000, 300_000, 300_000].map((ms) => NOW + ms));
  });

  it('counts what was told of the failure before for as long as a cooldown', () => {
    const toldAgo = (ms: number) => lookAt({ analysis: byDb(), waiting: ['a'], incidents: told({ a: NOW - ms }) });
    expect(toldAgo(299_990)).toMatchObject({ notify: [], recheck_at: NOW + 10 });
    expect(toldAgo(300_000)).toMatchObject({ notify: [{ destination: 'a' }] });
  });

  it('waits for the end of planned work that includes it, where every root is planned', () => {
    const planned = { id: 'win_a', until: NOW + 90_000, include_dependents: true as const };
    const windows = new Map([[DB, planned]]);
    const seen = lookAt({ analysis: byDb(), windows });
    expect(seen).toMatchObject({ notify: [], wait: ['a', 'b'], recheck_at: NOW + 100_000, window: planned });
    expect(seen.hold).toMatchObject({ under: DB });
    const another = { entity_id: 'ent_net', confirmed: true, since: NOW - 1000 };
    const both = byDb();
    const more = lookAt({ analysis: { ...both, roots: [...both.roots, another] }, windows });
    expect(more).toMatchObject({ root: 'ent_net', notify: [{ destination: 'a' }, { destination: 'b' }] });
    expect(more.window).toBeUndefined();
  });

  it('wakes nobody once more whom the failure before has woken a moment ago, where no cooldown keeps it quiet', () => {
    const toldAgo = (ms: number) =>
      lookAt({ analysis: byDb(), waiting: ['a'], cooldown_ms: 0, incidents: told({ a: NOW - ms }) }).notify;
    expect(toldAgo(299_999)).toEqual([{ destination: 'a', urgency: 'low' }]);
    expect(toldAgo(300_000)).toEqual([{ destination: 'a', urgency: 'high' }]);
  });

  it('counts whom another process has told meanwhile, by a clock that is a little ahead', () => {
    const toldAhead = (ms: number) => lookAt({ analysis: byDb(), waiting: ['a'], incidents: told({ a: NOW + ms }) });
    expect(toldAhead(41)).toMatchObject({ notify: [], wait: ['a'] });
    // So far ahead it is of a clock that was stepped back since.
    expect(toldAhead(3_600_000)).toMatchObject({ notify: [{ destination: 'a', urgency: 'high' }] });
  });

  it('waits until the alert of the root itself is decided', () => {
    const seen = (at: number) => lookAt({ analysis: byDb(), pending: new Map([[DB, at]]) });
    expect(seen(NOW - 10)).toMatchObject({ notify: [], wait: ['a', 'b'], recheck_at: NOW + 5000 });
    // Not again and again while that has to wait itself; but it may be decided before its time.
    expect(seen(NOW + 40_000).recheck_at).toBe(NOW + 45_000);
    expect(seen(NOW + 600_000).recheck_at).toBe(NOW + 65_000);
  });
});

describe('a look at a failure that nothing explains', () => {
  it('alerts everybody at once where nothing did before', () => {
    expect(lookAt({})).toMatchObject({
      notify: [{ destination: 'a' }, { destination: 'b' }],
      root: null,
      recheck_at: undefined,
    });
  });

  it('gives it the time to settle once nothing explains it any more, and its own next run', () => {
    const first = lookAt({ hold: withheld, recoveries: new Map([[DB, NOW - 5_000]]) });
    expect(first).toMatchObject({
      notify: [],
      hold: { recovered: { first: NOW, last: NOW } },
      recheck_at: NOW + 70_000,
    });
    const at = (now: number) => lookAt({ hold: first.hold, now }).recheck_at;
    expect(at(NOW + 69_999)).toBe(NOW + 70_000);
    expect(at(NOW + 70_000)).toBeUndefined();
  });

  it('waits again when another upstream entity recovers, and no longer than ten minutes in all', () => {
    const hold = { ...withheld, recovered: { first: NOW - 590_000, last: NOW - 50_000 } };
    const recoveries = new Map([
      [DB, NOW - 590_000],
      ['ent_api', NOW - 1000],
    ]);
    expect(lookAt({ hold, recoveries }).recheck_at).toBe(NOW + 10_000 + 10_000);
    const late = { ...hold, recovered: { first: NOW - 100_000, last: NOW - 50_000 } };
    expect(lookAt({ hold: late, recoveries }).recheck_at).toBe(NOW + 59_000 + 10_000);
  });

  it('gives the same time to what goes down just after the recovery of a root that somebody was told of', () => {
    const recoveredAgo = (ms: number) =>
      told({ a: NOW - 400_000 }, { since: NOW - 500_000, recovered_at: NOW - 1000 - ms });
    expect(lookAt({ incidents: recoveredAgo(20_000) })).toMatchObject({ notify: [{ destination: 'b' }], wait: ['a'] });
    expect(lookAt({ incidents: recoveredAgo(300_000) }).notify).toHaveLength(2);
  });

  it('is news of the same for whoever was alerted of it a moment ago', () => {
    const survived = [{ entity_id: DB, confirmed: true, since: NOW - 200_000 }];
    const seen = lookAt({
      analysis: analysis({ survived }),
      incidents: told({ a: NOW - 299_999, b: NOW - 300_000 }, { since: NOW - 400_000 }),
    });
    expect(seen.notify.map(({ urgency }) => urgency)).toEqual(['low', 'high']);
  });
});
