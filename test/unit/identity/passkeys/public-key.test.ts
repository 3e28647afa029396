import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isUsableKey } from '#lib/identity/passkeys/verify.ts';

/** A modulus of so many bits: whether it is one of RSA, only its owner knows. */
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

describe('the public key of a passkey', () => {
  it.each([2048, 4096])('may be one of RSA with %i bits', (bits) => {
    expect(isUsableKey(rsa(bits))).toBe(true);
  });

  it.each<[string, Map<number, unknown>]>([
    ['empty', new Map()],
    ['of RSA with 8,192 bits, which is slow to verify with', rsa(8192)],
    ['of RSA with 1,024 bits, which can be broken', rsa(1024)],
    [
      'of RSA without a modulus',
      new Map<number, unknown>([
        [3, -257],
        [-2, Buffer.from([1, 0, 1])],
      ]),
    ],
    [
      'no point of its curve',
      new Map<number, unknown>([
        [3, -7],
        [-1, 1],
        [-2, Buffer.alloc(32, 1)],
        [-3, Buffer.alloc(32, 1)],
      ]),
    ],
    [
      'of another curve',
      new Map<number, unknown>([
        [3, -8],
        [-1, 7],
        [-2, Buffer.alloc(57, 1)],
      ]),
    ],
    [
      'too short',
      new Map<number, unknown>([
        [3, -8],
        [-1, 6],
        [-2, Buffer.alloc(31, 1)],
      ]),
    ],
    [
      'of an algorithm that was not asked for',
      new Map<number, unknown>([
        [3, -49],
        [-1, Buffer.alloc(1312, 1)],
      ]),
    ],
    [
      'made of texts',
      new Map<number, unknown>([
        [3, -8],
        [-1, 6],
        [-2, 'x'.repeat(43)],
      ]),
    ],
  ])('is not %s', (_name, cose) => {
    expect(isUsableKey(cose)).toBe(false);
  });
});
