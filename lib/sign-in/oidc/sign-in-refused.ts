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
