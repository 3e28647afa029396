import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isUsableKey } from '#lib/identity/passkeys/verify.ts';

/** Returns a random odd number, accepted as a modulus: only the owner of a key can check that it has two factors. */
const modulus = (bits: number): Buffer => {
  const bytes = randomBytes(bits / 8);
  bytes[0]! |= 0x80;
  bytes[bytes.length - 1]! |= 1;
  return bytes;
};
const rsa = (bits: number) =>
  new Map<number, unknown>([
    [3, -257],
    [-1, modulus(bits)],
    [-2, Buffer.from([1, 0, 1])],
  ]);

describe('isUsableKey', () => {
  it.each([2048, 4096])('accepts RSA with %i bits', (bits) => {
    expect(isUsableKey(rsa(bits))).toBe(true);
  });

  it.each<[string, Map<number, unknown>]>([
    ['an empty key', new Map()],
    ['RSA with 8,192 bits, which is slow to verify', rsa(8192)],
    ['RSA with 1,024 bits, which is insecure', rsa(1024)],
    [
      'RSA without a modulus',
      new Map<number, unknown>([
        [3, -257],
        [-2, Buffer.from([1, 0, 1])],
      ]),
    ],
    [
      'a point outside its curve',
      new Map<number, unknown>([
        [3, -7],
        [-1, 1],
        [-2, Buffer.alloc(32, 1)],
        [-3, Buffer.alloc(32, 1)],
      ]),
    ],
    [
      'an unsupported curve',
      new Map<number, unknown>([
        [3, -8],
        [-1, 7],
        [-2, Buffer.alloc(57, 1)],
      ]),
    ],
    [
      'a key that is too short',
      new Map<number, unknown>([
        [3, -8],
        [-1, 6],
        [-2, Buffer.alloc(31, 1)],
      ]),
    ],
    [
      'an unsupported algorithm',
      new Map<number, unknown>([
        [3, -49],
        [-1, Buffer.alloc(1312, 1)],
      ]),
    ],
    [
      'a key with a text instead of bytes',
      new Map<number, unknown>([
        [3, -8],
        [-1, 6],
        [-2, 'x'.repeat(43)],
      ]),
    ],
  ])('rejects %s', (_name, cose) => {
    expect(isUsableKey(cose)).toBe(false);
  });
});
