import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemas } from '#console/api/schemas.ts';
import { curlOf } from '#console/rules/curl.ts';
import { currentStep, firstFields, readStart } from '#console/rules/start.ts';
import { slugOf } from '#lib/platform/slug.ts';
import { Slug } from '#lib/platform/text.ts';

const at = (query: string) => readStart(new URLSearchParams(query));

describe('first steps', () => {
  it('continue at the step in the address', () => {
    const steps = [
      '',
      'entity=service/shop',
      'entity=service/shop&check=chk_1',
      'entity=service/shop&check=chk_1&channel=chn_1',
    ];
    expect(steps.map((query) => currentStep(at(query)))).toEqual([1, 2, 3, 4]);
    expect(at(steps[3]!)).toEqual({ entity: { blueprint: 'service', slug: 'shop' }, check: 'chk_1', channel: 'chn_1' });
  });

  it('restart at a step whose parent is missing in the address', () => {
    for (const query of ['check=chk_1&channel=chn_1', 'entity=shop&check=chk_1', 'entity=a/b/c']) {
      expect(currentStep(at(query))).toBe(1);
    }
    expect(currentStep(at('entity=service/shop&channel=chn_1'))).toBe(2);
  });

  it('show the required fields and the interval of each type', () => {
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
});

/** Returns the words that a shell passes to curl. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `curl() { for word; do printf '%s\\0' "$word"; done; }\n${command}`], {
    env: { FLEETWATCH_KEY: 'fw_1' },
    encoding: 'utf8',
  })
    .split('\0')
    .slice(0, -1);

describe('curlOf', () => {
  it('quotes any body correctly', () => {
    const body = fc.record({ name: fc.string({ unit: 'grapheme', maxLength: 60 }) });
    fc.assert(
      fc.property(body, (one) => {
        const words = wordsOf(curlOf({ method: 'POST', path: '/v1/x', body: one }, 'http://localhost:8787'));
        expect(words.slice(0, 5)).toEqual([
          '-sS',
          'http://localhost:8787/v1/x',
          '-H',
          'Authorization: Bearer fw_1',
          '-d',
        ]);
        expect(JSON.parse(words[5]!)).toEqual(one);
      }),
      { numRuns: 25 },
    );
  });

  it('names a method that is not the default of curl', () => {
    expect(wordsOf(curlOf({ method: 'POST', path: '/v1/x' }, 'http://a')).slice(0, 3)).toEqual(['-sS', '-X', 'POST']);
    expect(wordsOf(curlOf({ method: 'GET', path: '/v1/x' }, 'http://a'))).not.toContain('-X');
  });
});

describe('slugOf', () => {
  it('returns a valid slug, or an empty text', () => {
    expect(slugOf('Web shop (EU)')).toBe('web-shop-eu');
    expect(slugOf('Café Zürich')).toBe('cafe-zurich');
    expect(slugOf('متجر')).toBe('');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (name) => {
        const slug = slugOf(name);
        if (slug !== '') Slug.parse(slug);
      }),
    );
  });
});
