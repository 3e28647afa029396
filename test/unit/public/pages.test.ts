import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statusHtml } from '#lib/public/pages/html.ts';
import { ACCENTS, LANGUAGES } from '#lib/public/pages/status-page.ts';
import { STYLE } from '#lib/public/pages/style.ts';
import { formatsOf, TEXTS } from '#lib/public/pages/texts.ts';
import { COMPONENT_STATES, dayKind, pageState } from '#lib/public/pages/view.ts';
import { statusView } from '#test/support/status-view.ts';

const NOTHING = { up: 0, degraded: 0, down: 0, unknown: 0, gap: 0, maintenance: 0, not_monitored: 0 };

describe('the kind of a day', () => {
  it('is outage before degraded before maintenance, and operational only if at least half of the day was monitored', () => {
    expect(dayKind({ ...NOTHING, up: 86_399, down: 1 }, 1)).toBe('outage');
    expect(dayKind({ ...NOTHING, degraded: 60, maintenance: 10 }, 1)).toBe('degraded');
    expect(dayKind({ ...NOTHING, degraded: 59, maintenance: 10 }, 1)).toBe('maintenance');
    expect(dayKind({ ...NOTHING, up: 100 }, 0.5)).toBe('operational');
    expect(dayKind({ ...NOTHING, up: 100 }, 0.499_999)).toBe('unknown');
    expect(dayKind({ ...NOTHING, not_monitored: 86_400 }, null)).toBe('unknown');
  });
});

describe('the state of a page', () => {
  it('is operational only if every component is, and a major outage only if every component is out', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...COMPONENT_STATES), { maxLength: 20 }), (states) => {
        const state = pageState(states);
        expect(state === 'operational').toBe(states.length > 0 && states.every((one) => one === 'operational'));
        expect(state === 'major_outage').toBe(states.length > 0 && states.every((one) => one === 'outage'));
        expect(state === 'partial_outage').toBe(states.includes('outage') && state !== 'major_outage');
      }),
    );
  });
});

describe('the texts of a page', () => {
  it('have the same placeholders in each language', () => {
    const placeholders = (value: unknown): unknown =>
      typeof value === 'string'
        ? [...value.matchAll(/\{\w+\}/g)].map(String).toSorted()
        : Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, placeholders(one)]));
    for (const language of LANGUAGES) expect(placeholders(TEXTS[language]), language).toEqual(placeholders(TEXTS.en));
  });

  it('truncate a percentage, so that 100 % means no downtime', () => {
    const { percent } = formatsOf('en', 'UTC');
    expect([1, 0.999_999, 0.9999, 0.99995, 0.5, 0].map(percent)).toEqual([
      ...['100%', '99.99%', '99.99%', '99.99%', '50.00%', '0.00%'],
    ]);
  });

  it('say durations and times in the language and zone of the page', () => {
    expect([0.4, 59, 2580, 3661, 90_000].map(formatsOf('en', 'UTC').duration)).toEqual([
      ...['0 seconds', '59 seconds', '43 minutes', '1 hour 1 minute', '1 day 1 hour'],
    ]);
    expect(formatsOf('de', 'UTC').duration(2580)).toBe('43 Minuten');
    expect(formatsOf('en', 'UTC').clock('2026-11-21T05:16:40Z')).toBe('05:16 UTC');
  });
});

describe('the HTML of a page', () => {
  it('contains no markup from any text', () => {
    const tags = (html: string) => html.match(/<[a-z!/][^>]*>/g)!.map((tag) => tag.replace(/"[^"]*"/g, '""'));
    const published = statusView();
    const usual = tags(statusHtml(published, { base: '/status/acme', json: '/status/acme.json', logo: undefined }));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        const hostile = structuredClone(published);
        hostile.view.page.title = text;
        hostile.view.groups[0]!.name = text;
        hostile.view.groups[0]!.components[0]!.name = text;
        hostile.view.groups[0]!.components[0]!.description = text;
        expect(tags(statusHtml(hostile, { base: '/status/acme', json: '/status/acme.json', logo: undefined }))).toEqual(
          usual,
        );
      }),
    );
  });
});

describe('the colors of a page', () => {
  const BACKGROUNDS = { light: '#ffffff', dark: '#1b1f26' };
  const full = (hex: string) => (hex.length === 4 ? `#${[...hex.slice(1)].map((c) => c + c).join('')}` : hex);
  const luminance = (hex: string) => {
    const [r, g, b] = [1, 3, 5].map((i) => {
      const part = Number.parseInt(full(hex).slice(i, i + 2), 16) / 255;
      return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
  };
  const contrast = (a: string, b: string) => {
    const [x, y] = [luminance(a), luminance(b)].toSorted((m, n) => n - m);
    return (x! + 0.05) / (y! + 0.05);
  };

  it.each(ACCENTS)('have enough contrast with the accent %s in light and dark', (accent) => {
    const rule = accent === 'blue' ? '' : `.${accent}{`;
    const [, light = '', dark = ''] = new RegExp(
      `${rule.replace(/[.{]/g, '\\$&')}--link:light-dark\\((#\\w+),(#\\w+)\\)`,
    ).exec(STYLE)!;
    expect(contrast(light, BACKGROUNDS.light)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(dark, BACKGROUNDS.dark)).toBeGreaterThanOrEqual(4.5);
  });
});
