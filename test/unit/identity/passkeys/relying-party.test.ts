import { describe, expect, it } from 'vitest';
import {
  passkeysUnavailableHere,
  passkeysUnavailableReason,
  relyingPartyOf,
} from '#lib/identity/passkeys/validate-response.ts';

describe('passkey availability', () => {
  it.each([
    'https://status.example.com',
    'https://status.example.com:8443',
    'https://fleetwatch',
    'http://localhost',
    'http://localhost:8787',
    'http://app.localhost:8787',
    'https://localhost',
  ])('allows %s', (page) => {
    expect(passkeysUnavailableReason(new URL(page))).toBeUndefined();
  });

  it.each([
    ['http://127.0.0.1:8787', /IP address/],
    ['https://127.0.0.1', /IP address/],
    ['https://192.168.1.20', /IP address/],
    ['http://[::1]:8787', /IP address/],
    ['https://[2001:db8::1]', /IP address/],
    ['http://status.example.com', /need https/],
    ['http://fleetwatch:8787', /need https/],
    ['http://localhost.example.com', /need https/],
  ])('rejects %s with a reason and a remedy', (page, reason) => {
    expect(passkeysUnavailableReason(new URL(page))).toMatch(reason);
  });

  const own = { PUBLIC_URL: 'https://status.example.com', ALLOWED_HOSTS: ['ops.example.com'] };

  it.each([
    [{ host: 'status.example.com' }, 'https://status.example.com', 'status.example.com'],
    [
      { host: '10.0.0.7:8787', origin: 'https://status.example.com' },
      'https://status.example.com',
      'status.example.com',
    ],
    [
      { host: 'ops.example.com:8443', origin: 'https://ops.example.com:8443' },
      'https://ops.example.com:8443',
      'ops.example.com',
    ],
    [{ host: 'localhost:8787' }, 'http://localhost:8787', 'localhost'],
  ])('binds passkeys to the host of the page: %j', (headers, origin, rp_id) => {
    expect(relyingPartyOf(headers, own)).toEqual({ origin, rp_id });
  });

  it.each([
    { host: 'evil.example' },
    { host: 'status.example.com', origin: 'https://evil.example' },
    { host: 'status.example.com', origin: 'https://status.example.com.evil.example' },
    { host: 'status.example.com', origin: 'null' },
  ])('rejects an unknown address: %j', (headers) => {
    expect(() => relyingPartyOf(headers, own)).toThrow(/is not an address of this service/);
  });

  it.each([
    [{ host: 'status.example.com' }, undefined],
    [{ host: 'ops.example.com', 'sec-fetch-site': 'same-origin' }, undefined],
    [{ host: 'ops.example.com' }, /need https/],
    [{ host: '127.0.0.1:8787', 'sec-fetch-site': 'same-origin' }, /IP address/],
    [{ host: 'evil.example', 'sec-fetch-site': 'same-origin' }, /not an address of this service/],
  ])('decides without the header Origin: %j', (headers, reason) => {
    if (reason) expect(passkeysUnavailableHere(headers, own)).toMatch(reason);
    else expect(passkeysUnavailableHere(headers, own)).toBeUndefined();
  });
});
