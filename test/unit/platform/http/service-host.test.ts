import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSecureHost, isServiceHost, isServiceOrigin, serviceOriginOf } from '#lib/platform/http/service-host.ts';
import { readSettings } from '#lib/settings.ts';

const NONE = readSettings({});
const own = readSettings({ PUBLIC_URL: 'https://status.example.com', ALLOWED_HOSTS: 'fleet.lan,Other.Example.com' });

describe('isServiceHost', () => {
  it.each(['127.0.0.1:8787', '192.168.1.5', '[::1]:8787', 'localhost:8787', 'console.localhost:1', 'nas', 'NAS:80'])(
    'accepts %s, which the owner of another domain cannot point at this service',
    (host) => {
      expect(isServiceHost(host, NONE)).toBe(true);
      expect(isServiceOrigin(`http://${host.toLowerCase()}`.replace(/:80$/, ''), host, NONE)).toBe(true);
    },
  );

  it.each(['status.example.com', 'status.example.com:8787', 'fleet.lan', 'other.example.com:9'])(
    'accepts %s if the operator lists it',
    (host) => {
      expect(isServiceHost(host, own)).toBe(true);
      expect(isServiceHost(host, NONE)).toBe(false);
    },
  );

  it.each(['evil.example', 'evil.example:8787', 'localhost.evil.example', '127.0.0.1.evil.example', '', 'a b', 'x/y'])(
    'rejects "%s"',
    (host) => {
      expect(isServiceHost(host, own)).toBe(false);
      expect(() => serviceOriginOf({ host }, own)).toThrow();
    },
  );

  it('rejects any unlisted host with a dot', () => {
    fc.assert(
      fc.property(fc.domain(), (name) => {
        expect(isServiceHost(name, own)).toBe(false);
        expect(isServiceOrigin(`https://${name}`, name, own)).toBe(false);
      }),
    );
  });
});

describe('isServiceOrigin', () => {
  it('accepts the exact host and port of the request, or PUBLIC_URL', () => {
    expect(isServiceOrigin('http://localhost:8787', 'localhost:8787', NONE)).toBe(true);
    expect(isServiceOrigin('http://localhost:8788', 'localhost:8787', NONE)).toBe(false);
    expect(isServiceOrigin('http://other:8787', 'localhost:8787', NONE)).toBe(false);
    // A proxy may send the address that it connects to as Host.
    expect(isServiceOrigin('https://status.example.com', '127.0.0.1:8787', own)).toBe(true);
    expect(isServiceOrigin('http://status.example.com', '127.0.0.1:8787', own)).toBe(false);
    expect(isServiceOrigin('https://status.example.com.evil.example', '127.0.0.1:8787', own)).toBe(false);
  });

  it.each(['null', '', '*', 'file://', 'http://localhost:8787/', 'http://localhost:8787/a', 'chrome-extension://abc'])(
    'rejects the origin "%s"',
    (origin) => {
      expect(isServiceOrigin(origin, 'localhost:8787', NONE)).toBe(false);
    },
  );
});

describe('serviceOriginOf', () => {
  it('returns the origin of the page, else PUBLIC_URL if it has the host, else the host with http', () => {
    expect(serviceOriginOf({ host: 'nas:8787', origin: 'https://nas:8787' }, NONE).origin).toBe('https://nas:8787');
    expect(serviceOriginOf({ host: 'status.example.com' }, own).origin).toBe('https://status.example.com');
    expect(serviceOriginOf({ host: 'localhost:8787' }, own).origin).toBe('http://localhost:8787');
  });

  it('rejects a foreign page and names the setting to change', () => {
    expect(() => serviceOriginOf({ host: 'evil.example', origin: 'https://evil.example' }, NONE)).toThrow(
      'https://evil.example is not an address of this service. Set PUBLIC_URL=https://evil.example.',
    );
  });
});

describe('a host that the platform has proven', () => {
  const proven = { ...NONE, are_hosts_proven: true };
  const host = 'd111.cloudfront.net';

  it('is an address of the service with https, without PUBLIC_URL', () => {
    expect(isServiceHost(host, proven)).toBe(true);
    expect(serviceOriginOf({ host }, proven).origin).toBe(`https://${host}`);
    expect(isServiceOrigin(`https://${host}`, host, proven)).toBe(true);
    expect(isSecureHost(host, proven)).toBe(true);
    expect(isServiceHost(host, NONE)).toBe(false);
  });

  it('does not accept another host, port or scheme', () => {
    for (const origin of [`http://${host}`, 'https://evil.example', `https://${host}:8443`])
      expect(isServiceOrigin(origin, host, proven)).toBe(false);
    for (const odd of ['', 'a b', 'x/y', `${host}:8443`]) expect(isServiceHost(odd, proven)).toBe(false);
  });

  it('keeps http for an IP address', () => {
    expect(serviceOriginOf({ host: '127.0.0.1:8787' }, proven).origin).toBe('http://127.0.0.1:8787');
    expect(isSecureHost('127.0.0.1:8787', proven)).toBe(false);
  });
});

describe('a request without Host', () => {
  it('is rejected with a request for the header', () =>
    expect(() => serviceOriginOf({}, NONE)).toThrow('Send the Host header'));
});

describe('address and session settings', () => {
  it.each([
    [{ PUBLIC_URL: 'https://status.example.com/fleet' }, 'PUBLIC_URL: must be an address without a path'],
    [{ PUBLIC_URL: 'status.example.com' }, 'PUBLIC_URL: must be an address'],
    [{ PUBLIC_URL: 'ftp://status.example.com' }, 'PUBLIC_URL: must be an address'],
    [{ PUBLIC_URL: 'https://user@status.example.com' }, 'PUBLIC_URL: must be an address'],
    [{ ALLOWED_HOSTS: 'https://status.example.com' }, 'ALLOWED_HOSTS: must be names without scheme'],
    [{ ALLOWED_HOSTS: 'status.example.com:8787' }, 'ALLOWED_HOSTS: must be names without scheme'],
    [{ STATUS_DOMAINS: 'https://status.acme.com' }, 'STATUS_DOMAINS: must be names without scheme'],
    [{ STATUS_DOMAINS: '*.acme.com' }, 'STATUS_DOMAINS: must be names without scheme'],
    [
      { STATUS_DOMAINS: 'status.acme.com,OPS.example.com', ALLOWED_HOSTS: 'ops.example.com' },
      'STATUS_DOMAINS: remove ops.example.com, which is an address of the service itself',
    ],
    [{ STATUS_DOMAINS: 'a.example', PUBLIC_URL: 'https://a.example' }, 'STATUS_DOMAINS: remove a.example'],
    [{ STATUS_DOMAINS: 'a.example', PING_URL: 'https://a.example' }, 'STATUS_DOMAINS: remove a.example'],
    [{ SESSION_DAYS: '3' }, 'SESSION_DAYS: must be at least SESSION_IDLE_DAYS, which is 7'],
    [{ SESSION_DAYS: '91' }, 'SESSION_DAYS: must be at most 90'],
    [{ SESSION_IDLE_DAYS: '0' }, 'SESSION_IDLE_DAYS: must be at least 1'],
  ])('are rejected at startup: %o', (env, message) => {
    expect(() => readSettings(env)).toThrow(`Settings are wrong. ${message}`);
  });

  it('accept a PUBLIC_URL with a trailing slash and in capitals', () => {
    expect(readSettings({ PUBLIC_URL: 'https://Status.Example.com/' }).PUBLIC_URL).toBe('https://status.example.com');
  });
});
