import { describe, expect, it } from 'vitest';
import { schemas } from '#console/api/schemas.ts';
import { currentStep, firstFields, nameOfCheck, readStart } from '#console/rules/start.ts';

const at = (query: string) => readStart(new URLSearchParams(query));

describe('the first steps', () => {
  it('go on where the address says that one is', () => {
    const steps = [
      '',
      'entity=service/shop',
      'entity=service/shop&check=chk_1',
      'entity=service/shop&check=chk_1&channel=chn_1',
    ];
    expect(steps.map((query) => currentStep(at(query)))).toEqual([1, 2, 3, 4]);
    expect(at(steps[3]!)).toEqual({ entity: { blueprint: 'service', slug: 'shop' }, check: 'chk_1', channel: 'chn_1' });
  });

  it('begin anew where the address lacks what something belongs to', () => {
    for (const query of ['check=chk_1&channel=chn_1', 'entity=shop&check=chk_1', 'entity=a/b/c']) {
      expect(currentStep(at(query))).toBe(1);
    }
    expect(currentStep(at('entity=service/shop&channel=chn_1'))).toBe(2);
  });

  it('ask of each type for what it cannot do without, and how often', () => {
    for (const [type, schema] of Object.entries(schemas.checks)) {
      const paths = firstFields(schema).map(({ path }) => path);
      expect(paths, type).toContain('interval_seconds');
      expect(paths, type).not.toContain('entity_id');
    }
    expect(firstFields(schemas.checks.http!).map(({ path }) => path)).toEqual(['target_url', 'interval_seconds']);
    expect(firstFields(schemas.checks.push!).map(({ path }) => path)).toEqual([
      'interval_seconds',
      'config.grace_seconds',
    ]);
  });

  it('call a check by its name, else by its target', () => {
    expect(nameOfCheck({ name: 'home', check_type: 'http', target_url: 'https://a' })).toBe('home');
    expect(nameOfCheck({ name: null, check_type: 'http', target_url: 'https://a' })).toBe('https://a');
    expect(nameOfCheck({ name: null, check_type: 'push' })).toBe('push check');
  });
});
