import { describe, expect, it } from 'vitest';
import { type Assumption, type KnownCheck, upstreamStatus } from '#lib/alerting/cause/evidence.ts';

const NOW = 10_000_000;
/** Start of the failure of the dependent (epoch ms). */
const AFTER = NOW - 30_000;

const pull = (more: Partial<KnownCheck> = {}): KnownCheck => ({
  id: 'chk',
  execution_mode: 'pull',
  enabled: true,
  state: 'up',
  consecutive_failures: 0,
  interval_seconds: 10,
  failure_threshold: 2,
  timeout_ms: 5000,
  ...more,
});
const push = (more: Partial<KnownCheck> = {}) => pull({ execution_mode: 'push', ...more });
const down = { state: 'down', failing_since: NOW - 60_000 } as const;
const failed = { probe: { success: false, began_at: NOW - 1000, since: NOW - 1000 } };
const succeeded = { heartbeat_at: AFTER };

const status = (checks: KnownCheck[], when: 'down' | 'degraded' = 'down', assumed: Assumption = 'failure') =>
  upstreamStatus(checks, when, { after: AFTER, assumed, now: NOW });

describe('upstreamStatus', () => {
  it('is failed when all probed checks are down or failed the upstream probe', () => {
    expect(status([pull(down), pull(down)])).toMatchObject({ status: 'failed', confirmed: true, since: NOW - 60_000 });
    expect(status([pull(down), pull(failed)])).toMatchObject({
      status: 'failed',
      confirmed: false,
      since: NOW - 60_000,
    });
    expect(status([pull(down), pull()])).toMatchObject({ status: 'no_data' });
    expect(status([pull(down), pull(succeeded)])).toMatchObject({ status: 'healthy' });
  });

  it('does not wait for a push check, which detects failures late', () => {
    expect(status([pull(failed), push()])).toMatchObject({ status: 'failed', confirmed: false });
    expect(status([pull(failed), push(succeeded)])).toMatchObject({ status: 'failed' });
    expect(status([push(down), push(down)])).toMatchObject({ status: 'failed', confirmed: true });
    expect(status([push(down), push()])).toMatchObject({ status: 'no_data' });
  });

  it('is no_data without an enabled check', () => {
    expect(status([])).toMatchObject({ status: 'no_data' });
    expect(status([pull({ ...down, enabled: false })])).toMatchObject({ status: 'no_data' });
  });

  it('is failed with `when` degraded if any check failed', () => {
    expect(status([pull(down), pull(succeeded)], 'degraded')).toMatchObject({ status: 'failed', confirmed: true });
    expect(status([pull(failed), pull(succeeded)], 'degraded')).toMatchObject({ status: 'failed', confirmed: false });
    expect(status([pull(), pull(succeeded)], 'degraded')).toMatchObject({ status: 'healthy' });
  });

  it('is healthy only after a success since the dependent failed', () => {
    expect(status([pull({ heartbeat_at: AFTER - 1 })])).toMatchObject({ status: 'no_data' });
    expect(status([pull({ probe: { success: true, began_at: AFTER - 1, since: 0 } })])).toMatchObject({
      status: 'no_data',
    });
    expect(status([pull({ probe: { success: true, began_at: AFTER, since: 0 } })])).toMatchObject({
      status: 'healthy',
    });
  });

  it('is not healthy by a heartbeat that reported a failure, even below the threshold', () => {
    const heartbeat_at = NOW - 1000;
    expect(status([push({ heartbeat_at })])).toMatchObject({ status: 'healthy' });
    expect(status([push({ heartbeat_at, consecutive_failures: 1 })])).toMatchObject({ status: 'no_data' });
  });

  it('prefers the newer of a result and an upstream probe', () => {
    expect(status([pull({ ...failed, heartbeat_at: NOW - 999 })])).toMatchObject({ status: 'healthy' });
    expect(status([pull({ ...failed, heartbeat_at: NOW - 1001 })])).toMatchObject({ status: 'failed' });
  });

  it('ignores a failed upstream probe that later results should have confirmed', () => {
    const since = (ms: number) => [pull({ probe: { success: false, began_at: NOW, since: NOW - ms } })];
    expect(status(since(35_000))).toMatchObject({ status: 'failed' });
    expect(status(since(35_001))).toMatchObject({ status: 'no_data' });
  });

  it('uses the assumption while a probe is running', () => {
    expect(status([pull({ probe: 'running' })], 'down', 'failure')).toMatchObject({ status: 'failed' });
    expect(status([pull({ probe: 'running' })], 'down', 'success')).toMatchObject({ status: 'healthy' });
  });

  it('returns the source and the time of the evidence', () => {
    const evidenceOf = (checks: KnownCheck[], assumed?: Assumption) => {
      const { evidence, known_at } = status(checks, 'down', assumed);
      return [evidence, known_at];
    };
    expect(evidenceOf([pull(down)])).toEqual(['state', NOW - 60_000]);
    expect(evidenceOf([pull(down), pull(failed)])).toEqual(['probe', NOW - 1000]);
    expect(evidenceOf([pull({ probe: { success: true, began_at: NOW - 5, since: NOW - 5 } })])).toEqual([
      'probe',
      NOW - 5,
    ]);
    expect(evidenceOf([push({ heartbeat_at: NOW - 7 })])).toEqual(['result', NOW - 7]);
    expect(evidenceOf([pull()])).toEqual(['none', undefined]);
  });
});
