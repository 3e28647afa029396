import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimsOf } from '#lib/identity/oidc/claims.ts';
import { resolveIdentity, type SignInTarget } from '#lib/identity/oidc/resolve-identity.ts';

const membership = fc.record({
  tenant_id: fc.constantFrom('acc_1', 'acc_2', 'acc_3'),
  user_id: fc.constantFrom('usr_1', 'usr_2', 'usr_3'),
});
const targets = (...by: SignInTarget['by'][]) =>
  fc
    .tuple(membership, fc.constantFrom(...by))
    .map(([user, means]): SignInTarget => ({ ...user, by: means, digest: 'd' }));
const linked = fc.uniqueArray(membership, { selector: ({ tenant_id }) => tenant_id });
const invited = fc.uniqueArray(targets('invitation'), { selector: ({ tenant_id }) => tenant_id, maxLength: 3 });
const claims = fc.record(
  {
    issuer: fc.constant('https://login.example.com'),
    subject: fc.string({ minLength: 1 }),
    email: fc.constant('ann@example.com'),
    email_verified: fc.constantFrom<unknown>(true, 'true', false, 'false', 1, 'yes', null, undefined),
  },
  { requiredKeys: ['issuer', 'subject'] },
);
const known = fc.record({ claims, linked, invited, trust: fc.boolean() });

describe('resolveIdentity', () => {
  it('returns the user linked to issuer and subject, regardless of e-mail address and invitations', () => {
    fc.assert(
      fc.property(known, (all) => {
        fc.pre(all.linked.length > 0);
        expect(resolveIdentity(all)).toEqual({ as: all.linked });
      }),
    );
  });

  it('uses the e-mail address only for a single pending invitation, if verified or trusted', () => {
    fc.assert(
      fc.property(known, (all) => {
        const outcome = resolveIdentity({ ...all, linked: [] });
        const isVerified = all.trust || all.claims.email_verified === true || all.claims.email_verified === 'true';
        if (all.invited.length !== 1) expect(outcome).toEqual({ refused: 'not_invited' });
        else if (isVerified) expect(outcome).toEqual({ link: all.invited[0] });
        else expect(outcome).toEqual({ refused: 'email_not_verified' });
      }),
    );
  });

  it('returns the target user unless the identity belongs to another user of the account', () => {
    fc.assert(
      fc.property(known, targets('invitation', 'link', 'session'), (all, begun_for) => {
        const here = all.linked.find(({ tenant_id }) => tenant_id === begun_for.tenant_id);
        const isOther = here !== undefined && here.user_id !== begun_for.user_id;
        expect(resolveIdentity({ ...all, begun_for })).toEqual(
          isOther ? { refused: 'already_linked' } : { link: begun_for },
        );
      }),
    );
  });
});

describe('claimsOf', () => {
  const own = { iss: 'https://login.example.com', sub: 'ann' };

  it('ignores an e-mail address or name that is not a string', () => {
    expect(claimsOf({ ...own, email: ['ann@example.com'], email_verified: true, name: 7 })).toEqual({
      issuer: own.iss,
      subject: own.sub,
    });
  });

  it('uses the user name if there is no other name', () => {
    expect(claimsOf({ ...own, name: '', preferred_username: 'ann' }).name).toBe('ann');
    expect(claimsOf({ ...own, name: 'Ann Example', preferred_username: 'ann' }).name).toBe('Ann Example');
  });
});
