import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { render, renderBody } from '#lib/actions/template/template.ts';
import { renderUrl } from '#lib/actions/template/url-template.ts';
import { allowUrl, resolveAllowed } from '#lib/net/egress.ts';
import { NetError } from '#lib/net/net.ts';
import { vectors } from '#test/support/ssrf-vectors.ts';
import { text, vars } from './template-values.ts';

const JSON_TYPE = 'application/json';
const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,20}$/);

describe('a body', () => {
  it('keeps its JSON structure for any value of a variable', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const body = renderBody('{"a": "{{a}}", "both": ["{{b}}-{{a}}"], "n": 1}', JSON_TYPE, vars({ a, b }));
        expect(JSON.parse(body!)).toEqual({ a, both: [`${b}-${a}`], n: 1 });
      }),
    );
  });

  it('contains the unescaped variable if it is not JSON', () => {
    fc.assert(
      fc.property(text, (a) => {
        expect(renderBody('<{{a}}>', 'text/plain', vars({ a }))).toBe(`<${a}>`);
      }),
    );
  });

  it('is unchanged without a variable', () => {
    fc.assert(
      fc.property(text, (template) => {
        expect(renderBody(template, JSON_TYPE, vars({}))).toBe(template);
      }),
    );
  });

  it('is never substituted twice', () => {
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
  ])('escapes JSON for the type %s: %s', (type, escapes) => {
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

  it('is rejected when it grows too large', () => {
    const bomb = '{{a}}'.repeat(3276);
    expect(renderBody(bomb, 'text/plain', vars({ a: 'x'.repeat(200_000) }))).toBeUndefined();
    expect(renderBody(bomb, 'text/plain', vars({ a: 'x'.repeat(80) }))).toBeUndefined();
    expect(renderBody(bomb, 'text/plain', vars({ a: 'x'.repeat(20) }))).toHaveLength(3276 * 20);
    expect(renderBody('{{a}}', 'text/plain', vars({ a: 'é'.repeat(32_769) }))).toBeUndefined();
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

  it('is JSON unless a Content-Type header, in any case, has another type', () => {
    expect(requestOf({}).headers).toEqual({ 'Content-Type': 'application/json' });
    expect(requestOf({ headers: { 'content-TYPE': 'text/xml' } }).headers).toEqual({ 'content-TYPE': 'text/xml' });
  });

  it('has no type for an empty body, and no body for a GET', () => {
    expect(requestOf({ body_template: '' })).toMatchObject({ headers: {}, body: '' });
    expect(requestOf({ method: 'GET' })).toEqual({ url: action.url, method: 'GET', headers: {} });
  });

  it('is blocked when variables form a dot segment of the path', () => {
    const url = 'https://h.example.com/deploy/{{env}}/run';
    for (const env of ['.', '..', '%2e%2E']) {
      const rendered = render({ ...action, url }, vars({ env }));
      // The percent sign is encoded again, so the value stays one segment.
      expect(rendered).toMatchObject(env.startsWith('%') ? { ok: true } : { ok: false, status: 'blocked' });
    }
    expect(render({ ...action, url: 'https://h.example.com/{{a}}{{a}}' }, vars({ a: '.' })).ok).toBe(false);
    expect(requestOf({ url: 'https://h.example.com/a/../{{a}}' }, { a: '...' }).url).toContain('/...');
  });

  it('is sent only to allowed hosts', () => {
    const url = 'https://{{host}}:8443/{{x}}';
    const allowed_hosts = ['ci.example.com', '*.eu.example.com', '192.0.2.7'];
    for (const host of ['ci.example.com', 'CI.Example.com.', 'a.eu.example.com', 'a.b.eu.example.com', '192.0.2.7']) {
      expect(render({ ...action, url, allowed_hosts }, vars({ host }))).toMatchObject({ ok: true });
    }
    for (const host of ['example.com', 'eu.example.com', 'xeu.example.com', 'ci.example.com.evil.test', '192.0.2.8']) {
      expect(render({ ...action, url, allowed_hosts }, vars({ host }))).toEqual({
        ok: false,
        status: 'blocked',
        error: `refused: ${host} is not in allowed_hosts of the action`,
      });
    }
  });

  it('fails with a message when it grows too long', () => {
    for (const more of [{ url: 'https://h.example.com/{{a}}' }, { body_template: '{{a}}' }]) {
      const rendered = render({ ...action, ...more }, vars({ a: 'x'.repeat(300_000) }));
      expect(rendered).toMatchObject({ ok: false, status: 'failed', error: expect.stringContaining('not sent: the ') });
    }
  });
});

describe('the egress guard after substitution', () => {
  const templates = vectors.filter(({ group }) => group === 'template');

  it('has test vectors', () => expect(templates.length).toBeGreaterThan(3));

  it.each(templates.map((vector) => [vector.why, vector] as const))('%s', async (_why, vector) => {
    const guarded = (async () => {
      const url = renderUrl(vector.url ?? '', vars(vector.vars ?? {}));
      if (!url.ok) throw new NetError('egress', url.error);
      await resolveAllowed(allowUrl(url.url, 'public', []), 'public', [], async (host) => vector.dns?.[host] ?? []);
    })();
    if (vector.verdict === 'allow') await guarded;
    else await expect(guarded).rejects.toMatchObject({ kind: 'egress' });
  });
});
