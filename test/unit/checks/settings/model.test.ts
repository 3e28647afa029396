import { describe, expect, it } from 'vitest';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { mergeCheck, parseCheck } from '#lib/checks/settings/model.ts';
import { AppError } from '#lib/platform/errors.ts';

const http = { entity_id: 'ent_a', check_type: 'http', target_url: 'https://shop.test/health' };
const push = { entity_id: 'ent_a', check_type: 'push' };
const NOW = Date.UTC(2026, 10, 22, 12);
const FLOOR = { minInterval: 10, now: NOW };
const ANY_INTERVAL = { minInterval: 1, now: NOW };

/** Returns the paths of the validation errors; empty if `work` succeeds. */
function errorPaths(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError && error.code === 'VALIDATION_ERROR')
      return (error.details ?? []).map(({ path }) => path);
    throw error;
  }
  return [];
}

const stored = (input: object): CheckItem =>
  ({
    pk: 'p',
    sk: 'CHECK',
    v: 'v1',
    id: 'chk_a',
    tenant_id: 'acc_a',
    rev: 1,
    ...parseCheck(input, ANY_INTERVAL),
  }) as CheckItem;

describe('a new check', () => {
  it('gets the documented defaults', () => {
    expect(parseCheck(http, ANY_INTERVAL)).toEqual({
      ...http,
      execution_mode: 'pull',
      method: 'GET',
      expected_status: 200,
      body_contains: '',
      interval_seconds: 60,
      retry_interval_seconds: 0,
      timeout_ms: 5000,
      failure_threshold: 3,
      recovery_threshold: 1,
      enabled: true,
      config: {},
    });
    expect(parseCheck(push, ANY_INTERVAL)).toMatchObject({ execution_mode: 'push', enabled: true, config: {} });
  });

  it.each([
    [{ entity_id: 'ent_a', check_type: 'icmp' }, 'check_type'],
    [{ ...http, execution_mode: 'push' }, 'execution_mode'],
    [{ ...http, interval_seconds: 0 }, 'interval_seconds'],
    [{ ...http, interval_seconds: 86_401 }, 'interval_seconds'],
    [{ ...push, interval_seconds: 31_622_401 }, 'interval_seconds'],
    [{ ...http, timeout_ms: 9 }, 'timeout_ms'],
    [{ ...http, timeout_ms: 30_001 }, 'timeout_ms'],
    [{ ...http, failure_threshold: 101 }, 'failure_threshold'],
    [{ ...http, retry_interval_seconds: -1 }, 'retry_interval_seconds'],
    [{ ...http, retry_interval_seconds: 60 }, 'retry_interval_seconds'],
    [{ ...http, interval_seconds: 10, retry_interval_seconds: 30 }, 'retry_interval_seconds'],
    [{ ...push, retry_interval_seconds: 10 }, 'retry_interval_seconds'],
    [{ ...http, config: { body: 'x'.repeat(8 * 1024) } }, 'config'],
    [{ ...push, config: { grace: 5 } }, 'config.grace'],
  ])('is rejected: %j at %s', (input, path) => {
    expect(errorPaths(() => parseCheck(input, ANY_INTERVAL))).toEqual([path]);
  });

  it('accepts an interval of a leap year for push', () => {
    expect(parseCheck({ ...push, interval_seconds: 31_622_400 }, ANY_INTERVAL).interval_seconds).toBe(31_622_400);
  });

  it('is rejected below the minimum interval of the installation', () => {
    expect(errorPaths(() => parseCheck({ ...http, interval_seconds: 9 }, FLOOR))).toEqual(['interval_seconds']);
    expect(parseCheck({ ...http, interval_seconds: 10 }, FLOOR).interval_seconds).toBe(10);
    expect(errorPaths(() => parseCheck({ ...http, retry_interval_seconds: 9 }, FLOOR))).toEqual([
      'retry_interval_seconds',
    ]);
    expect(parseCheck({ ...http, retry_interval_seconds: 10 }, FLOOR).retry_interval_seconds).toBe(10);
    expect(parseCheck({ ...http, retry_interval_seconds: 0 }, FLOOR).retry_interval_seconds).toBe(0);
  });
});

describe('an update', () => {
  const check = stored({ ...http, name: 'health', config: { body: 'ping', headers: { a: 'b' } } });

  it('changes only the supplied settings', () => {
    expect(mergeCheck(check, { interval_seconds: 30 }, ANY_INTERVAL)).toEqual({
      ...mergeCheck(check, {}, ANY_INTERVAL),
      interval_seconds: 30,
    });
  });

  it('returns the stored settings, without properties that the service sets, if nothing changes', () => {
    expect(mergeCheck(check, {}, ANY_INTERVAL)).toEqual(
      parseCheck({ ...http, name: 'health', config: check.config }, ANY_INTERVAL),
    );
  });

  it('merges config per key and removes a key by null', () => {
    expect(mergeCheck(check, { config: { body: null, verify_tls: false } }, ANY_INTERVAL).config).toEqual({
      headers: { a: 'b' },
      verify_tls: false,
    });
  });

  it('accepts the returned record, but no change of identifying properties', () => {
    const { id, entity_id, check_type, execution_mode } = check;
    expect(mergeCheck(check, { id, entity_id, check_type, execution_mode }, ANY_INTERVAL)).toEqual(
      mergeCheck(check, {}, ANY_INTERVAL),
    );
    expect(errorPaths(() => mergeCheck(check, { entity_id: 'ent_b' }, ANY_INTERVAL))).toEqual(['entity_id']);
    expect(errorPaths(() => mergeCheck(check, { check_type: 'push' }, ANY_INTERVAL))).toEqual(['check_type']);
  });

  it('keeps an interval below a minimum that was raised later, but goes no lower', () => {
    const fast = stored({ ...http, interval_seconds: 5 });
    expect(mergeCheck(fast, { enabled: false }, FLOOR).enabled).toBe(false);
    expect(errorPaths(() => mergeCheck(fast, { interval_seconds: 4 }, FLOOR))).toEqual(['interval_seconds']);
    const soon = stored({ ...http, retry_interval_seconds: 5 });
    expect(mergeCheck(soon, { enabled: false }, FLOOR).retry_interval_seconds).toBe(5);
    expect(errorPaths(() => mergeCheck(soon, { retry_interval_seconds: 4 }, FLOOR))).toEqual([
      'retry_interval_seconds',
    ]);
    expect(mergeCheck(soon, { retry_interval_seconds: 0 }, FLOOR).retry_interval_seconds).toBe(0);
  });

  it('is rejected if the interval is not longer than the retry interval', () => {
    const retried = stored({ ...http, retry_interval_seconds: 30 });
    expect(errorPaths(() => mergeCheck(retried, { interval_seconds: 30 }, ANY_INTERVAL))).toEqual([
      'retry_interval_seconds',
    ]);
    expect(
      mergeCheck(retried, { interval_seconds: 30, retry_interval_seconds: 10 }, ANY_INTERVAL).interval_seconds,
    ).toBe(30);
    expect(() => mergeCheck(retried, { interval_seconds: 20 }, ANY_INTERVAL)).toThrow(
      'retry_interval_seconds: must be less than interval_seconds (20)',
    );
  });

  it('reports the path in a merged config', () => {
    expect(errorPaths(() => mergeCheck(check, { config: { bdy: 'x' } }, ANY_INTERVAL))).toEqual(['config.bdy']);
    expect(errorPaths(() => mergeCheck(check, { config: 'x' }, ANY_INTERVAL))).toEqual(['config']);
  });
});

describe('contradictory settings', () => {
  const tcp = { entity_id: 'ent_a', check_type: 'tcp' };
  const steps = [{ starttls: true }, { starttls: true }];
  it.each([
    [{ ...tcp, config: { host: 'a', port: 25, steps } }, ['config.steps.1.starttls']],
    [
      { ...tcp, config: { host: 'a', port: 25, tls: true, steps } },
      ['config.steps.0.starttls', 'config.steps.1.starttls'],
    ],
    [{ ...tcp, check_type: 'tls', config: { host: 'a', starttls: 'smtp' } }, ['config.port']],
  ])('are rejected: %j at %j', (input, paths) => {
    expect(errorPaths(() => parseCheck(input, ANY_INTERVAL))).toEqual(paths);
  });

  it('are rejected in an update too', () => {
    const check = stored({ ...tcp, config: { host: 'a', port: 25, tls: true } });
    expect(errorPaths(() => mergeCheck(check, { config: { steps: [{ starttls: true }] } }, ANY_INTERVAL))).toEqual([
      'config.steps.0.starttls',
    ]);
  });
});

it('suggests the type that resembles an unknown one', () => {
  expect(() => parseCheck({ entity_id: 'ent_a', check_type: 'pushh' }, ANY_INTERVAL)).toThrow(
    /^check_type: must be one of http, tcp, .*push; did you mean push\?$/,
  );
});

it('suggests tcp for icmp, and lists the types if none is supplied', () => {
  expect(() => parseCheck({ entity_id: 'ent_a', check_type: 'icmp' }, ANY_INTERVAL)).toThrow(
    /^check_type: must be one of http, tcp, .*push; icmp is not supported: check an open port with tcp$/,
  );
  expect(() => parseCheck({ entity_id: 'ent_a' }, ANY_INTERVAL)).toThrow(
    /^check_type: is required: one of http, tcp, .*push/,
  );
});
