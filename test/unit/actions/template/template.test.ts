import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BuiltIn, variablesOf } from '#lib/actions/template/placeholders.ts';
import { render, renderBody } from '#lib/actions/template/template.ts';
import { hasFixedHost, renderUrl } from '#lib/actions/template/url-template.ts';
import { allowUrl, resolveAllowed } from '#lib/platform/net/egress.ts';
import { NetError } from '#lib/platform/net/net.ts';

const vars = (values: Record<string, string>, builtIn: BuiltIn = {}) => variablesOf(builtIn, values);
const urlOf = (...rendered: Parameters<typeof renderUrl>): string => {
  const outcome = renderUrl(...rendered);
  return outcome.ok ? outcome.url : outcome.error;
};
const JSON_TYPE = 'application/json';
const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,20}$/);

describe('a body', () => {
  it('that is JSON stays the same JSON but for its strings, whatever a variable holds', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const body = renderBody('{"a": "{{a}}", "both": ["{{b}}-{{a}}"], "n": 1}', JSON_TYPE, vars({ a, b }));
        expect(JSON.parse(body!)).toEqual({ a, both: [`${b}-${a}`], n: 1 });
      }),
    );
  });

  it('that is no JSON holds the variable as it is', () => {
    fc.assert(
      fc.property(text, (a) => {
        expect(renderBody('<{{a}}>', 'text/plain', vars({ a }))).toBe(`<${a}>`);
      }),
    );
  });

  it('without a variable in it is left as it was written', () => {
    fc.assert(
      fc.property(text, (template) => {
        expect(renderBody(template, JSON_TYPE, vars({}))).toBe(template);
      }),
    );
  });

  it('is never read as a template a second time', () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        fc.pre(a !== b);
        expect(renderBody(`{{${a}}}`, 'text/plain', vars({ [a]: `{{${b}}}`, [b]: 'x' }))).toBe(`{{${b}}}`);
      }),
    );
  });

  it.each([
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['application/cloudevents+json', true],
    ['text/json', true],
    ['text/plain', false],
    ['application/x-www-form-urlencoded', false],
    ['application/jsonlines', false],
    ['', false],
  ])('of type %s escapes as in JSON: %s', (type, escapes) => {
    expect(renderBody('{{a}}', type, vars({ a: '"' }))).toBe(escapes ? '\\"' : '"');
  });

  it.each([
    ['{{ a }}', '{{ a }}'],
    ['{{a', '{{a'],
    ['{a}', '{a}'],
    ['{{}}', '{{}}'],
    ['{{b}}', '{{b}}'],
    ['{{A}}', '{{A}}'],
    ['{{{a}}}', '{1}'],
    ['{{a}}{{a}}', '11'],
    ['{{toString}}{{__proto__}}', '{{toString}}{{__proto__}}'],
    ['$& {{a}} $1', '$& 1 $1'],
  ])('%s becomes %s', (template, body) => {
    expect(renderBody(template, 'text/plain', vars({ a: '1' }))).toBe(body);
  });

  it('that would grow beyond all measure is not made', () => {
    const bomb = '{{a}}'.repeat(3276);
    expect(renderBody(bomb, 'text/plain', vars({ a: 'x'.repeat(200_000) }))).toBeUndefined();
    expect(renderBody(bomb, 'text/plain', vars({ a: 'x'.repeat(80) }))).toBeUndefined();
    expect(renderBody(bomb, 'text/plain', vars({ a: 'x'.repeat(20) }))).toHaveLength(3276 * 20);
    expect(renderBody('{{a}}', 'text/plain', vars({ a: 'é'.repeat(32_769) }))).toBeUndefined();
  });
});

describe('a URL', () => {
  it('keeps its host, the segments of its path and the members of its query, whatever a variable holds', () => {
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

  it('of more than 8 KB is not made', () => {
    expect(renderUrl('https://h.example.com/{{a}}', vars({ a: 'x'.repeat(9000) }))).toMatchObject({
      status: 'failed',
      error: 'not sent: the URL has more than 8192 characters once its variables are filled in',
    });
  });
});

describe('the host of a URL', () => {
  it('ends as the template says, whatever a variable holds', () => {
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
  ])('takes no value such as %s', (value) => {
    expect(renderUrl('http://{{region}}:18150/deploy', vars({ region: value }))).toEqual({
      ok: false,
      status: 'blocked',
      error: 'refused: the value of {{region}} in the host of the URL may only have letters, digits, "." and "-"',
    });
  });

  it('takes no value of a caller for a variable of the service, which everywhere else it does', () => {
    const own = { entity_name: 'shop' };
    const template = 'https://{{entity_name}}.example.com/{{entity_name}}';
    expect(urlOf(template, vars({ entity_name: 'evil' }, own))).toBe('https://shop.example.com/evil');
    expect(urlOf(template, vars({ entity_name: 'evil' }))).toContain('vars cannot set it there');
    expect(urlOf('https://{{host}}/', vars({}))).toBe('refused: nothing fills {{host}} in the host of the URL');
  });

  it.each([
    ['ftp://h.example.com', false],
    ['//h.example.com', false],
    ['https://me@h.example.com', false],
    ['https://h.example.com:8443/b?c#d', true],
    ['h.example.com', false],
  ])('may be all in one variable: %s: %s', (base, ok) => {
    expect(renderUrl('{{base}}/hook', vars({ base }))).toMatchObject(ok ? { ok } : { ok, status: 'blocked' });
    // Where more of the host follows, the value ends with a part of it.
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
  ])('%s is written at its end: %s', (template, isFixed) => {
    expect(hasFixedHost(template)).toBe(isFixed);
  });
});

describe('a request', () => {
  const action = {
    url: 'https://h.example.com/',
    method: 'POST' as const,
    headers: {},
    body_template: '{}',
    allowed_hosts: [] as string[],
  };
  const requestOf = (more: object, values: Record<string, string> = {}) => {
    const rendered = render({ ...action, ...more }, vars(values));
    if (!rendered.ok) throw new Error(rendered.error);
    return rendered.request;
  };

  it('is JSON unless a header says otherwise, in whatever case', () => {
    expect(requestOf({}).headers).toEqual({ 'Content-Type': 'application/json' });
    expect(requestOf({ headers: { 'content-TYPE': 'text/xml' } }).headers).toEqual({ 'content-TYPE': 'text/xml' });
  });

  it('says no type of a body that is empty, and a GET has none', () => {
    expect(requestOf({ body_template: '' })).toMatchObject({ headers: {}, body: '' });
    expect(requestOf({ method: 'GET' })).toEqual({ url: action.url, method: 'GET', headers: {} });
  });

  it('is blocked when a variable would climb out of the path', () => {
    const url = 'https://h.example.com/deploy/{{env}}/run';
    for (const env of ['.', '..', '%2e%2E']) {
      const rendered = render({ ...action, url }, vars({ env }));
      // What is percent-encoded already is encoded once more, and stays.
      expect(rendered).toMatchObject(env.startsWith('%') ? { ok: true } : { ok: false, status: 'blocked' });
    }
    expect(render({ ...action, url: 'https://h.example.com/{{a}}{{a}}' }, vars({ a: '.' })).ok).toBe(false);
    expect(requestOf({ url: 'https://h.example.com/a/../{{a}}' }, { a: '...' }).url).toContain('/...');
  });

  it('goes to the hosts that its action allows, and to no other', () => {
    const url = 'https://{{host}}:8443/{{x}}';
    const allowed_hosts = ['ci.example.com', '*.eu.example.com', '192.0.2.7'];
    for (const host of ['ci.example.com', 'CI.Example.com.', 'a.eu.example.com', 'a.b.eu.example.com', '192.0.2.7']) {
      expect(render({ ...action, url, allowed_hosts }, vars({ host }))).toMatchObject({ ok: true });
    }
    for (const host of ['example.com', 'eu.example.com', 'xeu.example.com', 'ci.example.com.evil.test', '192.0.2.8']) {
      expect(render({ ...action, url, allowed_hosts }, vars({ host }))).toEqual({
        ok: false,
        status: 'blocked',
        error: `refused: ${host} is not among the allowed_hosts of the action`,
      });
    }
  });

  it('that grows too long has failed, in a sentence', () => {
    for (const more of [{ url: 'https://h.example.com/{{a}}' }, { body_template: '{{a}}' }]) {
      const rendered = render({ ...action, ...more }, vars({ a: 'x'.repeat(300_000) }));
      expect(rendered).toMatchObject({ ok: false, status: 'failed', error: expect.stringContaining('not sent: the ') });
    }
  });
});

describe('after substitution', () => {
  type Vector = {
    id: string;
    url: string;
    vars: Record<string, string>;
    dns: Record<string, string[]>;
    verdict: string;
  };
  const vectors = readFileSync(new URL('../../../support/ssrf-vectors.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Vector & { group: string; why: string })
    .filter(({ group }) => group === 'template');

  it('there are vectors to judge', () => expect(vectors.length).toBeGreaterThan(3));

  it.each(vectors.map((vector) => [vector.why, vector] as const))('%s', async (_why, vector) => {
    const judged = (async () => {
      const url = renderUrl(vector.url, vars(vector.vars));
      if (!url.ok) throw new NetError('egress', url.error);
      await resolveAllowed(allowUrl(url.url, 'public', []), 'public', [], async (host) => vector.dns[host] ?? []);
    })();
    if (vector.verdict === 'allow') await judged;
    else await expect(judged).rejects.toMatchObject({ kind: 'egress' });
  });
});
