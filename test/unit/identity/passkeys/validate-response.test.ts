import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  authenticatorDataOf,
  counterDidNotIncrease,
  validateResponse,
} from '#lib/identity/passkeys/validate-response.ts';

describe('counterDidNotIncrease', () => {
  const count = fc.integer({ min: 0, max: 2 ** 32 - 1 });

  it('reports a counter that did not increase, except if it is always 0', () => {
    fc.assert(
      fc.property(count, count, (before, now) => {
        expect(counterDidNotIncrease(before, now)).toBe(before === 0 && now === 0 ? false : now <= before);
      }),
    );
  });

  it('reports a repeated counter value', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 2 ** 32 - 1 }), (at) => counterDidNotIncrease(at, at)));
  });
});

describe('authenticatorDataOf', () => {
  it('parses the data', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.integer({ min: 0, max: 255 }),
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.uint8Array({ maxLength: 100 }),
        (hash, flags, counter, rest) => {
          const count = Buffer.alloc(4);
          count.writeUInt32BE(counter);
          const data = authenticatorDataOf(Buffer.concat([hash, Buffer.from([flags]), count, rest]));
          expect(data).toEqual({
            rp_id_hash: Buffer.from(hash),
            user_verified: (flags & 4) === 4,
            synced: (flags & 16) === 16,
            counter,
          });
        },
      ),
    );
  });

  it('returns undefined for data shorter than its fixed part', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 36 }), (bytes) => authenticatorDataOf(bytes) === undefined));
  });
});

describe('validateResponse', () => {
  const relyingParty = { origin: 'https://status.example.com', rp_id: 'status.example.com' };
  const client = { type: 'webauthn.get', challenge: 'x', origin: relyingParty.origin, crossOrigin: false };
  const rp_id_hash = createHash('sha256').update(relyingParty.rp_id).digest();
  const data = { rp_id_hash, user_verified: true, synced: false, counter: 1 };

  it('checks the ceremony', () => {
    expect(validateResponse('webauthn.get', relyingParty, client, data)).toBeUndefined();
    expect(validateResponse('webauthn.create', relyingParty, client, data)).toBe('ceremony');
  });

  it('rejects every other origin', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string()), (origin) => {
        fc.pre(origin !== relyingParty.origin);
        expect(validateResponse('webauthn.get', relyingParty, { ...client, origin }, data)).toBe('origin');
      }),
    );
  });

  it('rejects every other rp_id', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (hash) => {
        fc.pre(!rp_id_hash.equals(hash));
        expect(validateResponse('webauthn.get', relyingParty, client, { ...data, rp_id_hash: Buffer.from(hash) })).toBe(
          'rp_id',
        );
      }),
    );
  });

  it('rejects a frame in a page of another origin, and an unverified user', () => {
    expect(validateResponse('webauthn.get', relyingParty, { ...client, crossOrigin: true }, data)).toBe('origin');
    const unverified = { ...data, user_verified: false };
    expect(validateResponse('webauthn.get', relyingParty, client, unverified)).toBe('user_verification');
  });
});
