import { describe, expect, it } from 'vitest';
import { isAllowedOrigin } from '#lib/mcp/protocol/origin.ts';
import { readSettings } from '#lib/settings.ts';

describe('the allowed origins of MCP', () => {
  it('include the address of the service', () => {
    expect(isAllowedOrigin('http://localhost:8787', 'localhost:8787', readSettings({}))).toBe(true);
  });

  it('include an origin named by the operator, but no other port of its host', () => {
    const settings = readSettings({ ALLOWED_ORIGINS: '*,https://fleet.example.com' });
    expect(isAllowedOrigin('https://fleet.example.com', 'anything', settings)).toBe(true);
    expect(isAllowedOrigin('https://fleet.example.com:8443', 'fleet.example.com:8443', settings)).toBe(false);
    expect(isAllowedOrigin('https://fleet.example.com:8443', 'fleet.example.com', settings)).toBe(false);
  });

  it.each([
    ['a foreign name that resolves to this host', 'http://evil.example:8787', 'evil.example:8787'],
    ['another origin, even with * in ALLOWED_ORIGINS', 'https://evil.example', 'localhost:8787'],
    ['the origin of a file', 'null', 'localhost:8787'],
    ['a star', '*', 'localhost:8787'],
  ])('exclude %s', (_what, origin, host) => {
    expect(isAllowedOrigin(origin, host, readSettings({ ALLOWED_ORIGINS: '*' }))).toBe(false);
  });
});
