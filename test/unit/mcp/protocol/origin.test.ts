import { describe, expect, it } from 'vitest';
import { isOwnOrigin } from '#lib/mcp/protocol/origin.ts';

describe('a page may use MCP', () => {
  it.each([
    ['http://localhost:8787', 'localhost:8787'],
    ['http://127.0.0.1:8787', '127.0.0.1:8787'],
    ['http://[::1]:8787', '[::1]:8787'],
    ['http://192.168.1.5', '192.168.1.5'],
    ['http://nas:8787', 'nas:8787'],
    ['http://fleet.localhost:1', 'fleet.localhost:1'],
  ])('of %s under that very address', (origin, host) => {
    expect(isOwnOrigin(origin, host, ['*'])).toBe(true);
  });

  it('of an origin that the operator names, and of its host at another port', () => {
    const allowed = ['https://fleet.example.com'];
    expect(isOwnOrigin('https://fleet.example.com', 'anything', allowed)).toBe(true);
    expect(isOwnOrigin('https://fleet.example.com:8443', 'fleet.example.com:8443', allowed)).toBe(true);
    expect(isOwnOrigin('https://fleet.example.com:8443', 'fleet.example.com', allowed)).toBe(false);
  });

  it.each([
    ['a name that was pointed here', 'http://evil.example:8787', 'evil.example:8787'],
    ['a name that ends like localhost', 'http://evillocalhost.example', 'evillocalhost.example'],
    ['a name that begins like an address', 'http://127.0.0.1.evil.example', '127.0.0.1.evil.example'],
    ['another port', 'http://localhost:1', 'localhost:8787'],
    ['no host at all', 'null', 'localhost:8787'],
    ['a file', 'file://', 'localhost:8787'],
  ])('but not under %s', (_what, origin, host) => {
    expect(isOwnOrigin(origin, host, ['*'])).toBe(false);
  });
});
