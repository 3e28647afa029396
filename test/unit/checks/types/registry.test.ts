import { describe, expect, it } from 'vitest';
import { ExpiryProperties } from '#lib/checks/assertions/expiry.ts';
import { type CheckType, COMMON_ERRORS } from '#lib/checks/types/check-type.ts';
import { checkTypeOf, checkTypes } from '#lib/checks/types/registry.ts';
import { validationError } from '#lib/platform/http/validation.ts';
import { ResultRecord } from '#lib/results/result-record.ts';

/** Properties of every check, stored or in the API. */
const OF_CHECKS =
  'pk sk v id tenant_id entity_id check_type execution_mode name interval_seconds timeout_ms failure_threshold recovery_threshold enabled config created_at updated_at rev settings_at state state_since consecutive_failures consecutive_warnings consecutive_successes consecutive_oks streaks_since last_received missed_at slow missed_mark alerts last_result last_checked_at stale alerts_after_seconds alerts_at next_due_at late runs waiting_for_first';

/** Parses a value like a create request: properties of the type, and its config. Returns the paths of the errors. */
function errorPaths(type: CheckType, value: object): string[] {
  const parsed = type.fields.extend({ config: type.config }).safeParse(value);
  return parsed.success ? [] : (validationError(parsed.error).details ?? []).map((detail) => detail.path);
}

describe.each([...checkTypes.values()])('check type $type', (type) => {
  it.each(type.examples.valid)('accepts its valid example %#', (value) => {
    expect(errorPaths(type, value)).toEqual([]);
  });

  it.each(type.examples.invalid)('rejects its invalid example %# at $path', ({ value, path }) => {
    expect(errorPaths(type, value)).toEqual([path]);
  });

  it('returns target and hosts for each valid example', () => {
    for (const value of type.examples.valid) {
      const settings = type.fields.extend({ config: type.config }).parse(value) as never;
      expect(type.targetLabel(settings)).toMatch(/^\S.{0,300}$/);
      for (const { host, path } of type.hosts(settings)) {
        expect(host).not.toBe('');
        expect(path.replace(/^config\.\w+$/, 'config')).toBeOneOf(['config', ...Object.keys(type.fields.shape)]);
      }
    }
  });

  it('uses property names that checks, results and other types do not use', () => {
    const others = [...checkTypes.values()].filter((other) => other !== type);
    const taken = others.flatMap(({ fields, result }) => Object.keys({ ...fields.shape, ...result.shape }));
    // Properties shared by several types are equal.
    const shared = Object.keys(ExpiryProperties.shape);
    const own = [...Object.keys(type.fields.shape), ...Object.keys(type.result.shape)].filter(
      (name) => !shared.includes(name),
    );
    const names = new Set([...taken, ...Object.keys(ResultRecord.shape), ...OF_CHECKS.split(' ')]);
    expect(own.filter((name) => names.has(name))).toEqual([]);
    expect(Object.keys(type.errors).filter((kind) => kind in COMMON_ERRORS)).toEqual([]);
    const known = { ...type.fields.shape, ...type.config.shape };
    const hidden = [...type.urls, ...type.secrets].map((path) => path.replace(/^config\./, '').split('.')[0]!);
    expect(hidden.filter((name) => !(name in known))).toEqual([]);
  });

  it('has a probe exactly if it is a pull type', () => {
    expect(type.probe !== undefined).toBe(type.mode === 'pull');
  });
});

it('finds a type by name, and reports where an unknown one belongs', () => {
  expect(checkTypeOf('http').type).toBe('http');
  expect(() => checkTypeOf('carrier-pigeon')).toThrow(
    'The check type carrier-pigeon is not in lib/checks/types/registry.ts.',
  );
});
