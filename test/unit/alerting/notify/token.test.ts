import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSignedBy,
  type LinkClaims,
  linkToken,
  parseSigned,
  parseToken,
  signedToken,
} from '#lib/alerting/notify/alert-links.ts';

const claims: LinkClaims = {
  action: 'silence',
  tenant: 'acc_0mi8w274tw5d39c8c2a7b8f01e',
  check_id: 'chk_0mi8w27sw86b273ff34fce19d6',
  transition_id: 'trn_0mi8w2c1kw4b227777d4dd1fc6',
  channel_id: 'ach_0mi8w2c1pce7f6c011776e8db7',
  expires_at: 1_795_238_201,
};
const token = linkToken('key', claims);

describe('the token of a link or a mail', () => {
  it('contains its claims, and only the key of its account verifies it', () => {
    const read = parseToken(token)!;
    expect(read.claims).toEqual(claims);
    expect(isSignedBy('key', 'link', read)).toBe(true);
    expect(isSignedBy('another key', 'link', read)).toBe(false);
  });

  it('fits in a path and in 255 characters', () => {
    expect(token).toMatch(/^[\w.-]+$/);
    expect(token.length).toBeLessThan(255);
  });

  it('is invalid after a change of any character, unused bits of the last one included', () => {
    const letters = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: token.length - 1 }), letters, (at, letter) => {
        fc.pre(token[at] !== letter);
        const read = parseToken(token.slice(0, at) + letter + token.slice(at + 1));
        expect(read === undefined || !isSignedBy('key', 'link', read)).toBe(true);
      }),
      { numRuns: 1000, examples: [...'ABCDEFGHIJKLMNOP'].map((letter) => [token.length - 1, letter]) },
    );
  });

  it('unsubscribes only its address from its account, however long the address is', () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.emailAddress(), (one, other) => {
        const fields = [claims.tenant, one];
        const read = parseSigned(signedToken('key', 'unsubscribe', fields))!;
        expect(read.fields).toEqual(fields);
        expect(isSignedBy('key', 'unsubscribe', read)).toBe(true);
        expect(isSignedBy('key', 'link', read)).toBe(false);
        const { text } = parseSigned(signedToken('other key', 'unsubscribe', [claims.tenant, other]))!;
        expect(isSignedBy('key', 'unsubscribe', { ...read, text })).toBe(text === read.text);
      }),
    );
    const longest = `${'a'.repeat(242)}@example.com`;
    expect(parseSigned(signedToken('key', 'unsubscribe', [claims.tenant, longest]))?.fields[1]).toBe(longest);
  });

  it('rejects any other text', () => {
    fc.assert(fc.property(fc.string(), (other) => parseToken(other) === undefined));
  });
});
