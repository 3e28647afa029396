import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameEmail } from '#lib/identity/team/team.ts';

describe('isSameEmail', () => {
  it('ignores case and the encoding of accents', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (email) => {
        expect(isSameEmail(email, email.toUpperCase())).toBe(true);
        expect(isSameEmail(email, `x${email}`)).toBe(false);
      }),
    );
    expect(isSameEmail('bjo\u0308rk@example.com', 'BJÖRK@example.com')).toBe(true);
  });
});
