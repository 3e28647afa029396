/** Why the identity provider, or the service behind it, let nobody in. */
const ERRORS: Readonly<Record<string, string>> = {
  denied: 'The identity provider was told no.',
  failed: 'The sign-in failed. The log of the service says why.',
  unreachable: 'The identity provider cannot be reached at the moment.',
  expired: 'That sign-in took too long, or was begun elsewhere. Try again.',
  not_invited: 'You are not a member here. Ask an admin for an invitation.',
  email_not_verified: 'The identity provider does not vouch for your e-mail address.',
  already_linked: 'At the identity provider you are another user of this account.',
  account_disabled: 'The account was disabled by the operator of this service.',
};

/** In a sentence. @param code as `#/sign-in?error=` has it */
export const signInError = (code: string): string => ERRORS[code] ?? 'The sign-in failed.';
