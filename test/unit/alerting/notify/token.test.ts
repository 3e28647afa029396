import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSignedBy, type LinkClaims, linkToken, readToken } from '#lib/alerting/notify/alert-links.ts';

const claims: LinkClaims = {
  action: 'missed_heartbeat',
  tenant: 'acc_0mi8w274tw5d39c8c2a7b8f01e',
  check_id: 'chk_0mi8w27sw86b273ff34fce19d6',
  transition_id: 'trn_0mi8w2c1kw4b227777d4dd1fc6',
  channel_id: 'ach_0mi8w2c1pce7f6c011776e8db7',
  expires_at: 1_795_238_201,
};
const token = linkToken('key', claims);

describe('the token of a link', () => {
  it('says what it is for, and only its account has signed it', () => {
    const read = readToken(token)!;
    expect(read.claims).toEqual(claims);
    expect(isSignedBy('key', read)).toBe(true);
    expect(isSignedBy('another key', read)).toBe(false);
  });

  it('stands in a path, and in 255 characters', () => {
    expect(token).toMatch(/^[\w.-]+$/);
    expect(token.length).toBeLessThan(255);
  });

  it('is worth nothing once any of its characters has changed', () => {
    const letters = fc.constantFrom(...'ABCxyz019-_');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: token.length - 1 }), letters, (at, letter) => {
        fc.pre(token[at] !== letter);
        const read = readToken(token.slice(0, at) + letter + token.slice(at + 1));
        // The last character has bits that no byte uses.
        const isSame = read !== undefined && Buffer.from(read.signature, 'base64url').equals(signature);
        expect(read === undefined || !isSignedBy('key', read) || (isSame && read.text === text)).toBe(true);
      }),
    );
  });

  it('is none of any other text', () => {
    fc.assert(fc.property(fc.string(), (other) => readToken(other) === undefined));
  });
});

const { text, signature: signed } = readToken(token)!;
const signature = Buffer.from(signed, 'base64url');
