import { describe, expect, it } from 'vitest';
import { encodingFor } from '#lib/page/serve-file.ts';

describe('encodingFor', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['br', 'br'],
    ['GZIP', 'gzip'],
    ['gzip;q=0.8, br;q=0.1', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.000, gzip; q=0.001', 'gzip'],
    ['gzip;q=0', undefined],
    ['deflate, zstd', undefined],
    ['identity', undefined],
    ['*', undefined],
    ['xbr, gzipped', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('returns for Accept-Encoding %j: %s', (accepted, encoding) => {
    expect(encodingFor(accepted)).toBe(encoding);
  });
});
