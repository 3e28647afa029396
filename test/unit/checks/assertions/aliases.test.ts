import { describe, expect, it } from 'vitest';
import { refused } from '#test/support/refused-check.ts';

const TCP = { entity_id: 'ent_1', check_type: 'tcp' };

describe('property names of other monitoring services', () => {
  it.each<[string, object, string, string]>([
    [
      'body_not_contains',
      { body_not_contains: 'error' },
      'body_not_contains',
      '`body_not_contains` is not a known property; use config.assertions: [{"source": "body", "operator": "not_contains", "value": "…"}]',
    ],
    [
      'a name in config',
      { config: { body_not_contains: 'error' } },
      'config.body_not_contains',
      '`config.body_not_contains` is not a known property; use config.assertions: [{"source": "body", "operator": "not_contains", "value": "…"}]',
    ],
    [
      'a list of statuses',
      { expected_status: [200, 301] },
      'expected_status',
      'must be one status, as a number; for several use config.assertions: [{"source": "status_code", "operator": "one_of", "value": ["2xx", 304]}]',
    ],
    [
      'a class of statuses',
      { expected_status: '2xx' },
      'expected_status',
      expect.stringContaining('"one_of"') as never,
    ],
    [
      'json_path',
      { config: { json_path: '$.status' } },
      'config.json_path',
      '`config.json_path` is not a known property; use config.assertions: [{"source": "json", "property": "$.status", "operator": "equals", "value": "ok"}]',
    ],
    [
      'max_latency_ms',
      { max_latency_ms: 500 },
      'max_latency_ms',
      '`max_latency_ms` is not a known property; use config.assertions: [{"source": "latency_ms", "operator": "less_than", "value": 800}]',
    ],
    [
      'degraded_after_ms',
      { degraded_after_ms: 500 },
      'degraded_after_ms',
      '`degraded_after_ms` is not a known property; use config.assertions: [{"source": "latency_ms", "operator": "less_than", "value": 800, "severity": "warn"}]',
    ],
    [
      'warn_days',
      { config: { warn_days: 21 } },
      'config.warn_days',
      '`config.warn_days` is not a known property; use config.assertions: [{"source": "days_left", "operator": "at_least", "value": 21, "severity": "warn"}]',
    ],
    [
      'assertions next to config',
      { assertions: [] },
      'assertions',
      '`assertions` is not a known property; use config.assertions',
    ],
  ])('are rejected with the property to use: %s', (_what, settings, path, message) => {
    expect(refused(settings)).toEqual([{ path, message }]);
  });

  it('are unknown if the type has no such source', () => {
    expect(refused({ config: { host: 'a', port: 1, warn_days: 3 } }, TCP)).toEqual([
      { path: 'config.warn_days', message: '`config.warn_days` is not known' },
    ]);
  });
});
