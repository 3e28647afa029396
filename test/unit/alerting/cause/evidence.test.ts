import { describe, expect, it } from 'vitest';
import { type Assumption, type KnownCheck, upstreamStatus } from '#lib/alerting/cause/evidence.ts';

const NOW = 10_000_000;
/** Since when the dependent fails. */
const AFTER = NOW - 30_000;

const pull = (more: Partial<KnownCheck> = {}): KnownCheck => ({
  id: 'chk',
  execution_mode: 'pull',
  enabled: true,
  state: 'up',
  interval_seconds: 10,
  failure_threshold: 2,
  timeout_ms: 5000,
  ...more,
});
const push = (more: Partial<KnownCheck> = {}) => pull({ execution_mode: 'push', ...more });
const down = { state: 'down', failing_since: NOW - 60_000 } as const;
const failed = { asked: { success: false, began_at: NOW - 1000, since: NOW - 1000 } };
const well = { succeeded_at: AFTER };

const stands = (checks: KnownCheck[], when: 'down' | 'degraded' = 'down', assumed: Assumption = 'failure') =>
  upstreamStatus(checks, when, { after: AFTER, assumed, now: NOW });

describe('what is known of something that others depend on', () => {
  it('is that it failed when all of its checks that probe are down, or failed when they were asked', () => {
    expect(stands([pull(down), pull(down)])).toMatchObject({ status: 'failed', confirmed: true, since: NOW - 60_000 });
    expect(stands([pull(down), pull(failed)])).toMatchObject({
      status: 'failed',
      confirmed: false,
      since: NOW - 60_000,
    });
    expect(stands([pull(down), pull()])).toMatchObject({ status: 'no_data' });
    expect(stands([pull(down), pull(well)])).toMatchObject({ status: 'healthy' });
  });

  it('does not wait for the silence of a push check, which comes late', () => {
    expect(stands([pull(failed), push()])).toMatchObject({ status: 'failed', confirmed: false });
    expect(stands([pull(failed), push(well)])).toMatchObject({ status: 'failed' });
    expect(stands([push(down), push(down)])).toMatchObject({ status: 'failed', confirmed: true });
    expect(stands([push(down), push()])).toMatchObject({ status: 'no_data' });
  });

  it('is nothing without a check that is enabled', () => {
    expect(stands([])).toMatchObject({ status: 'no_data' });
    expect(stands([pull({ ...down, enabled: false })])).toMatchObject({ status: 'no_data' });
  });

  it('is with `degraded` that any of its checks failed', () => {
    expect(stands([pull(down), pull(well)], 'degraded')).toMatchObject({ status: 'failed', confirmed: true });
    expect(stands([pull(failed), pull(well)], 'degraded')).toMatchObject({ status: 'failed', confirmed: false });
    expect(stands([pull(), pull(well)], 'degraded')).toMatchObject({ status: 'healthy' });
  });

  it('is that it is fine only by a success that began after the dependent had failed', () => {
    expect(stands([pull({ succeeded_at: AFTER - 1 })])).toMatchObject({ status: 'no_data' });
    expect(stands([pull({ asked: { success: true, began_at: AFTER - 1, since: 0 } })])).toMatchObject({
      status: 'no_data',
    });
    expect(stands([pull({ asked: { success: true, began_at: AFTER, since: 0 } })])).toMatchObject({ status: 'healthy' });
  });

  it('goes by the newer of its own run and an answer', () => {
    expect(stands([pull({ ...failed, succeeded_at: NOW - 999 })])).toMatchObject({ status: 'healthy' });
    expect(stands([pull({ ...failed, succeeded_at: NOW - 1001 })])).toMatchObject({ status: 'failed' });
  });

  it('is no suspicion any more once its own runs have had the time to confirm it', () => {
    const since = (ms: number) => [pull({ asked: { success: false, began_at: NOW, since: NOW - ms } })];
    expect(stands(since(35_000))).toMatchObject({ status: 'failed' });
    expect(stands(since(35_001))).toMatchObject({ status: 'no_data' });
  });

  it('is as an answer is assumed that is awaited', () => {
    expect(stands([pull({ asked: 'open' })], 'down', 'failure')).toMatchObject({ status: 'failed' });
    expect(stands([pull({ asked: 'open' })], 'down', 'success')).toMatchObject({ status: 'healthy' });
  });

  it('says how that is known, and of when it is', () => {
    const how = (checks: KnownCheck[], assumed?: Assumption) => {
      const { evidence, known_at } = stands(checks, 'down', assumed);
      return [evidence, known_at];
    };
    expect(how([pull(down)])).toEqual(['state', NOW - 60_000]);
    expect(how([pull(down), pull(failed)])).toEqual(['probe', NOW - 1000]);
    expect(how([pull({ asked: { success: true, began_at: NOW - 5, since: NOW - 5 } })])).toEqual(['probe', NOW - 5]);
    expect(how([push({ succeeded_at: NOW - 7 })])).toEqual(['result', NOW - 7]);
    expect(how([pull()])).toEqual(['none', undefined]);
  });
});
