import { describe, expect, it } from 'vitest';
import type { CheckType } from '#lib/checks/check-type.ts';
import { checkTypeOf, checkTypes } from '#lib/checks/registry.ts';
import { validationError } from '#lib/platform/http/validation.ts';

/** Parses as a create request is parsed: the type's own members beside its config. */
function pathsThatAreWrong(type: CheckType, value: object): string[] {
  const parsed = type.fields.extend({ config: type.config }).safeParse(value);
  return parsed.success ? [] : (validationError(parsed.error).details ?? []).map((detail) => detail.path);
}

describe.each([...checkTypes.values()])('check type $type', (type) => {
  it.each(type.examples.valid)('accepts its valid example %#', (value) => {
    expect(pathsThatAreWrong(type, value)).toEqual([]);
  });

  it.each(type.examples.invalid)('refuses its invalid example %# at $path', ({ value, path }) => {
    expect(pathsThatAreWrong(type, value)).toEqual([path]);
  });

  it('names its target and its hosts for each valid example', () => {
    for (const value of type.examples.valid) {
      const settings = type.fields.extend({ config: type.config }).parse(value) as never;
      expect(type.targetLabel(settings)).toMatch(/^\S.{0,300}$/);
      for (const { host, path } of type.hosts(settings)) {
        expect(host).not.toBe('');
        expect(path).toMatch(/^(target_url|config\.\w+)$/);
      }
    }
  });

  it('is probed exactly when it is pulled', () => {
    expect(type.probe !== undefined).toBe(type.mode === 'pull');
  });
});

it('finds a type by its name and says where to look for one that is unknown', () => {
  expect(checkTypeOf('http').type).toBe('http');
  expect(() => checkTypeOf('carrier-pigeon')).toThrow('No check type carrier-pigeon in lib/checks/registry.ts.');
});
