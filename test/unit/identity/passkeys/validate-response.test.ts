import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authenticatorDataOf, counterRolledBack, validateResponse } from '#lib/identity/passkeys/validate-response.ts';

describe('the counter of a passkey', () => {
  const count = fc.integer({ min: 0, max: 2 ** 32 - 1 });

  it('went back when it did not rise, but where it does not count at all', () => {
    fc.assert(
      fc.property(count, count, (before, now) => {
        expect(counterRolledBack(before, now)).toBe(before === 0 && now === 0 ? false : now <= before);
      }),
    );
  });

  it('cannot be used from the same place twice, once it counts', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 2 ** 32 - 1 }), (at) => counterRolledBack(at, at)));
  });
});

describe('authenticator data', () => {
  it('is read as it was written', () => {
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

  it('is none when it is shorter than its fixed part', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 36 }), (bytes) => authenticatorDataOf(bytes) === undefined));
  });
});

describe('an answer', () => {
  const place = { origin: 'https://status.example.com', rp_id: 'status.example.com' };
  const client = { type: 'webauthn.get', challenge: 'x', origin: place.origin, crossOrigin: false };
  const rp_id_hash = createHash('sha256').update(place.rp_id).digest();
  const data = { rp_id_hash, user_verified: true, synced: false, counter: 1 };

  it('fits its page and its ceremony', () => {
    expect(validateResponse('webauthn.get', place, client, data)).toBeUndefined();
    expect(validateResponse('webauthn.create', place, client, data)).toBe('ceremony');
  });

  it('fits no other origin, whichever', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string()), (origin) => {
        fc.pre(origin !== place.origin);
        expect(validateResponse('webauthn.get', place, { ...client, origin }, data)).toBe('origin');
      }),
    );
  });

  it('fits no other rp_id, whichever', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (hash) => {
        fc.pre(!rp_id_hash.equals(hash));
        expect(validateResponse('webauthn.get', place, client, { ...data, rp_id_hash: Buffer.from(hash) })).toBe('rp_id');
      }),
    );
  });

  it('is none from a frame of another page, or of who did not verify themselves', () => {
    expect(validateResponse('webauthn.get', place, { ...client, crossOrigin: true }, data)).toBe('origin');
    const absent = { ...data, user_verified: false };
    expect(validateResponse('webauthn.get', place, client, absent)).toBe('user_verification');
  });
});
