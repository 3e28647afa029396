/** Verified claims of a provider about a person. */
export type Claims = {
  /** Issuer and subject together identify the person: they never change and are never reassigned. */
  issuer: string;
  subject: string;
  email?: string;
  /** As the provider sends it: true, "true", false, or absent. */
  email_verified?: unknown;
  name?: string;
};

/** Reads the claims of an ID token, possibly merged with UserInfo (OpenID Connect Core 1.0, section 5.1). */
export function claimsOf(claims: Record<string, unknown> & { iss: string; sub: string }): Claims {
  const { iss: issuer, sub: subject, email, email_verified, name, preferred_username } = claims;
  const displayName = [name, preferred_username].filter((one) => typeof one === 'string').find((one) => one !== '');
  return {
    issuer,
    subject,
    ...(typeof email === 'string' && { email, email_verified }),
    ...(displayName !== undefined && { name: displayName }),
  };
}

/** Whether the e-mail address belongs to the person. @param trust the setting OIDC_TRUST_EMAIL */
export const isVerified = ({ email_verified }: Claims, trust: boolean): boolean =>
  trust || email_verified === true || email_verified === 'true';

/** Reason why a sign-in with the provider failed, in the URL of the page: `/#/sign-in?error=denied`. */
export type OidcError =
  | 'denied'
  | 'failed'
  | 'unreachable'
  | 'expired'
  | 'not_invited'
  | 'email_not_verified'
  | 'already_linked'
  | 'account_disabled';

/** Rejected sign-in. `message` has no secrets; it is logged, and shown by begin.ts unless `reason` is `unreachable`. */
export class SignInRefused extends Error {
  readonly reason: OidcError;
  constructor(reason: OidcError, message: string) {
    super(message);
    this.name = 'SignInRefused';
    this.reason = reason;
  }
}
