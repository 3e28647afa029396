/** What a provider says of a person, after all of it was verified. */
export type Claims = {
  /** Issuer and subject together are the person: neither changes, nor is given to another. */
  issuer: string;
  subject: string;
  email?: string;
  /** As the provider sends it: true, "true", false, or nothing. */
  email_verified?: unknown;
  /** What to call the person. */
  name?: string;
};

/** Claims of an ID token, or of one and UserInfo together, by their names in OpenID Connect Core 1.0, section 5.1. */
export function claimsOf(told: Record<string, unknown> & { iss: string; sub: string }): Claims {
  const { iss: issuer, sub: subject, email, email_verified, name, preferred_username } = told;
  const called = [name, preferred_username].filter((one) => typeof one === 'string').find((one) => one !== '');
  return {
    issuer,
    subject,
    ...(typeof email === 'string' && { email, email_verified }),
    ...(called !== undefined && { name: called }),
  };
}

/** Whether the e-mail address is the person's own. @param trust the setting OIDC_TRUST_EMAIL */
export const isVerified = ({ email_verified }: Claims, trust: boolean): boolean =>
  trust || email_verified === true || email_verified === 'true';

/** Why a sign-in by the provider came to nothing, as the page is told: `/#/sign-in?error=denied`. */
export type OidcError =
  | 'denied'
  | 'failed'
  | 'unreachable'
  | 'expired'
  | 'not_invited'
  | 'email_not_verified'
  | 'already_linked'
  | 'account_disabled';

/** A sign-in that is not to be. `message` is for the log, without secrets. */
export class SignInRefused extends Error {
  readonly reason: OidcError;
  constructor(reason: OidcError, message: string) {
    super(message);
    this.name = 'SignInRefused';
    this.reason = reason;
  }
}
