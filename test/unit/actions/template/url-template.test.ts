import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasFixedHost, renderUrl } from '#lib/actions/template/url-template.ts';
import { text, vars } from './template-values.ts';

const urlOf = (...rendered: Parameters<typeof renderUrl>): string => {
  const outcome = renderUrl(...rendered);
  return outcome.ok ? outcome.url : outcome.error;
};

describe('a URL', () => {
  it('keeps its host, path segments and query parameters for any value of a variable', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        fc.pre(!/^\.{1,2}$/.test(a));
        const url = new URL(urlOf('https://ci.example.com/run/{{a}}/now?x={{b}}&y=1#{{a}}', vars({ a, b })));
        expect(url.origin).toBe('https://ci.example.com');
        expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'run', a, 'now']);
        expect([...url.searchParams]).toEqual([
          ['x', b],
          ['y', '1'],
        ]);
      }),
    );
  });

  it.each([
    ['{{base}}/a/{{x}}', 'https://h.example.com:8443/b/a/%2F'],
    ['{{scheme}}://{{host}}/{{x}}', 'https://h.example.com/%2F'],
    ['https://{{host}}?q={{x}}', 'https://h.example.com?q=%2F'],
    ['https://{{host}}#{{x}}', 'https://h.example.com#%2F'],
    ['https://h.example.com\\{{x}}', 'https://h.example.com\\%2F'],
    ['{{base}}', 'https://h.example.com:8443/b'],
    ['{{origin}}.example.com/{{x}}', 'https://h.example.com/%2F'],
    ['https://{{host}}:{{port}}/', 'https://h.example.com:8443/'],
    ['https://h.example.com/{{unknown}}', 'https://h.example.com/{{unknown}}'],
  ])('%s becomes %s', (template, url) => {
    const values = {
      base: 'https://h.example.com:8443/b',
      scheme: 'https',
      host: 'h.example.com',
      x: '/',
      origin: 'https://h',
      port: '8443',
    };
    expect(urlOf(template, vars(values))).toBe(url);
  });

  it('is rejected beyond 8 KB', () => {
    expect(renderUrl('https://h.example.com/{{a}}', vars({ a: 'x'.repeat(9000) }))).toMatchObject({
      status: 'failed',
      error: 'not sent: the URL has more than 8192 characters after substitution of its variables',
    });
  });
});

describe('the host of a URL', () => {
  it('ends as in the template for any value of a variable', () => {
    const templates = [
      'http://{{a}}.example.com/x',
      'https://{{a}}-{{b}}.eu.example.com:8{{b}}/x',
      '{{u}}.example.com/',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...templates), text, text, (template, a, b) => {
        const rendered = renderUrl(template, vars({ a, b, u: `https://${a}` }));
        if (!rendered.ok) expect(rendered.status).toBe('blocked');
        else expect(URL.parse(rendered.url)?.hostname.endsWith('.example.com') ?? true).toBe(true);
      }),
    );
  });

  it.each([
    '127.77.0.9:18152/?',
    'evil.test/',
    'evil.test?',
    'evil.test#',
    'me@evil.test',
    'a\\b',
    'a:1',
    '[::1]',
    'a_b',
    '',
  ])('rejects the value %s', (value) => {
    expect(renderUrl('http://{{region}}:18150/deploy', vars({ region: value }))).toEqual({
      ok: false,
      status: 'blocked',
      error: 'refused: the value of {{region}} in the host of the URL may only contain letters, digits, "." and "-"',
    });
  });

  it('ignores values of the caller for built-in variables, unlike the rest of the URL', () => {
    const own = { entity_name: 'shop' };
    const template = 'https://{{entity_name}}.example.com/{{entity_name}}';
    expect(urlOf(template, vars({ entity_name: 'evil' }, own))).toBe('https://shop.example.com/evil');
    expect(urlOf(template, vars({ entity_name: 'evil' }))).toContain('vars cannot set it there');
    expect(urlOf('https://{{host}}/', vars({}))).toBe('refused: no value for {{host}} in the host of the URL');
  });

  it.each([
    ['ftp://h.example.com', false],
    ['//h.example.com', false],
    ['https://me@h.example.com', false],
    ['https://h.example.com:8443/b?c#d', true],
    ['h.example.com', false],
  ])('accepts a variable that is a whole URL, %s: %s', (base, ok) => {
    expect(renderUrl('{{base}}/hook', vars({ base }))).toMatchObject(ok ? { ok } : { ok, status: 'blocked' });
    // If the host continues after the variable, the value must end within the host.
    expect(renderUrl('{{base}}.test/hook', vars({ base })).ok).toBe(false);
  });

  it.each([
    ['https://api.example.com/{{x}}', true],
    ['https://{{region}}.example.com/', true],
    ['https://{{a}}.{{b}}.example.com:{{port}}/', true],
    ['https://api.example.com:{{port}}/', true],
    ['http://{{region}}:18150/deploy', false],
    ['https://{{name}}.com/', false],
    ['https://{{name}}example.com/', false],
    ['https://api.{{domain}}/', false],
    ['http://127.0.0.{{n}}/', false],
    ['http://{{n}}.0.0.1/', false],
    ['{{scheme}}://{{x}}.example.com/', false],
    ['{{base}}.example.com/', false],
    ['{{base}}/hook', false],
  ])('has a fixed end in %s: %s', (template, isFixed) => {
    expect(hasFixedHost(template)).toBe(isFixed);
  });
});
