import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemas } from '#console/api/schemas.ts';
import { curlOf } from '#console/rules/curl.ts';
import { bodyOf, draftOf } from '#console/rules/form-draft.ts';
import {
  channelFields,
  missingRecommendations,
  monitorBody,
  monitorFields,
  RECOMMENDED_POLICY,
} from '#console/rules/monitor.ts';
import { readStart } from '#console/rules/start.ts';
import { monitorSettings, PRESETS, type PresetName } from '#lib/checks/settings/presets.ts';
import { slugOf } from '#lib/platform/slug.ts';
import { Slug } from '#lib/platform/text.ts';

const at = (query: string) => readStart(new URLSearchParams(query));

describe('first steps', () => {
  it('continue at the step in the address', () => {
    expect(at('')).toEqual({});
    expect(at('check=chk_1')).toEqual({ check: 'chk_1' });
    expect(at('check=chk_1&channel=cha_1')).toEqual({ check: 'chk_1', channel: 'cha_1' });
    expect(at('channel=cha_1')).toEqual({});
  });

  it('set recommended settings only if the account has not set them', () => {
    expect(missingRecommendations(['flap_window_seconds', 'cooldown_seconds'])).toEqual({ flap_window_seconds: 3600 });
    expect(Object.keys(schemas.policy.properties)).toEqual(expect.arrayContaining(Object.keys(RECOMMENDED_POLICY)));
  });
});

describe('the form of a monitor', () => {
  it.each(Object.keys(PRESETS) as PresetName[])('has fields for %s that the API accepts', (preset) => {
    const typed = Object.fromEntries(
      monitorFields(preset).map(({ path, fallback }) => [path, fallback ? Number(fallback) : EXAMPLES[path]]),
    );
    expect(monitorSettings({ ...typed, preset })).toHaveProperty('check');
  });

  it.each(Object.entries(schemas.channels))('has the required settings of a %s channel', (channel_type, schema) => {
    const specs = channelFields(schema, 'Team');
    const typed = bodyOf(specs, { ...draftOf(specs, undefined), 'channel.config.url': 'https://example.com/x' });
    const { channel } = monitorBody('website', channel_type, typed) as { channel: Record<string, object> };
    expect(channel).toMatchObject({ name: 'Team', channel_type });
    expect(Object.keys(channel.config!)).toEqual(schema.properties!.config?.required?.includes('url') ? ['url'] : []);
  });
});

const EXAMPLES: Readonly<Record<string, string>> = {
  target: 'db.example.com:22',
  name: 'Backup',
  schedule: '30 2 * * *',
  timezone: 'UTC',
  keyword: 'ok',
};

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
