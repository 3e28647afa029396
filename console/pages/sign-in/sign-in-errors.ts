const ERRORS: Readonly<Record<string, string>> = {
  denied: 'You denied the request of the identity provider.',
  failed: 'The sign-in failed. The log of the service has the reason.',
  unreachable: 'The identity provider cannot be reached at the moment.',
  expired: 'The sign-in timed out, or was started in another browser. Try again.',
  not_invited: 'You are not a member here. Ask an admin for an invitation.',
  email_not_verified: 'The identity provider has not verified your e-mail address.',
  already_linked: 'This identity is linked to another user of this account.',
  account_disabled: 'The account was disabled by the operator of this service.',
};

/** Returns the text of a sign-in error. @param code value of `error` in `#/sign-in?error=denied` */
export const signInError = (code: string): string => ERRORS[code] ?? 'The sign-in failed.';
