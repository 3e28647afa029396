import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactPaths, redactUrl, redactUrls, redactUrlsAt } from '#lib/access/redaction.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';

describe('redactUrl', () => {
  it.each([
    ['without a query', 'https://example.com/health', 'https://example.com/health'],
    ['with a query', 'https://example.com/health?token=abc&x=1', 'https://example.com/health?********'],
    ['with a query that is broken over lines', 'https://example.com/?a\nsecret', 'https://example.com/?********'],
    ['with a fragment', 'https://example.com/#token=abc', 'https://example.com/?********'],
    ['with user and password', 'https://me:pw@example.com:8443/x', 'https://********@example.com:8443/x'],
    ['with an @ in the path', 'https://example.com/@me', 'https://example.com/@me'],
  ])('redacts a URL %s', (_name, url, shown) => {
    expect(redactUrl(url)).toBe(shown);
  });
  it('never shows the query', () => {
    const secret = fc.stringMatching(/^SECRET[a-z0-9?#&=/@:]{0,20}$/);
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: false, withFragments: false }), secret, (url, text) => {
        expect(redactUrl(`${url}?a=${text}`)).not.toContain('SECRET');
        expect(redactUrl(`${url}#${text}`)).not.toContain('SECRET');
      }),
      { numRuns: 30 },
    );
  });
});

describe('redactUrls', () => {
  it('hides every URL after any text', () => {
    const before = fc.stringMatching(/^[a-zA-Z0-9+. :/"(-]{0,40}$/);
    fc.assert(
      fc.property(before, (text) => {
        expect(redactUrls(`${text}https://a.example/?SECRET`)).not.toContain('SECRET');
      }),
    );
  });

  it.each([
    ['no URL', 'expected status 200, got 503', 'expected status 200, got 503'],
    ['a URL', 'redirect to https://a.example/?t=1 refused', 'redirect to ******** refused'],
    ['two in quotes', '"http://a/b" and <HTTPS://c/d>', '"********" and <********>'],
    ['another scheme', 'nats://user:pw@bus:4222 is closed', '******** is closed'],
    ['nothing', '', ''],
  ])('redacts a text with %s', (_name, text, shown) => {
    expect(redactUrls(text)).toBe(shown);
  });
});

describe('redactPaths', () => {
  const record = {
    id: 'a',
    config: { headers: { authorization: 'x', accept: 'y' }, body: 'b', empty: null, list: ['x'] },
  };

  it('hides a value, and the values of an object but not its keys', () => {
    expect(redactPaths(record, ['config.headers', 'config.body', 'config.list'])).toEqual({
      id: 'a',
      config: { headers: { authorization: REDACTED, accept: REDACTED }, body: REDACTED, empty: null, list: REDACTED },
    });
  });
  it('keeps absent and null properties, and does not change its input', () => {
    const before = structuredClone(record);
    expect(redactPaths(record, ['config.token', 'id.x', 'config.empty', 'more.x'])).toEqual(before);
    redactPaths(record, ['config.body']);
    expect(record).toEqual(before);
  });
});

describe('redactUrlsAt', () => {
  it('redacts URLs at any path and keeps other values', () => {
    const record = { url: 'https://a.test/x?key=1', config: { url: 'wss://a.test/y?key=2', expect: 'a?b' } };
    expect(redactUrlsAt(record, ['url', 'config.url', 'config.none'])).toEqual({
      url: `https://a.test/x?${REDACTED}`,
      config: { url: `wss://a.test/y?${REDACTED}`, expect: 'a?b' },
    });
  });
});
