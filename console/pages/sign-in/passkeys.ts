import { ApiFailure, call } from '#console/api/call.ts';

/** Human-readable texts by the name of a browser error (WebAuthn level 3, section 14.5.1). */
const BROWSER_ERRORS: Readonly<Record<string, string>> = {
  NotAllowedError: 'The request was canceled or timed out, or the authenticator has no matching passkey.',
  InvalidStateError: 'This authenticator already has a passkey for your account. Use another one.',
};

async function withReadableErrors<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const message = error instanceof Error ? (BROWSER_ERRORS[error.name] ?? error.message) : String(error);
    throw new ApiFailure(message, { status: 0, code: 'UNREACHABLE' });
  }
}

/** Signs in with a passkey. Throws ApiFailure. */
export async function signInByPasskey(): Promise<void> {
  const options = await call<PublicKeyCredentialRequestOptionsJSON>('POST', '/v1/sign-in/passkey/options', undefined, {
    open: true,
  });
  const response = await withReadableErrors(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  });
  await call('POST', '/v1/sign-in/passkey', { response: response.toJSON() }, { open: true });
}

/** Adds a passkey to the signed-in user. Throws ApiFailure. @param name of the device */
export async function addPasskey(name: string): Promise<void> {
  const options = await call<PublicKeyCredentialCreationOptionsJSON>('POST', '/v1/sign-in/passkeys/options');
  const response = await withReadableErrors(async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  });
  await call('POST', '/v1/sign-in/passkeys', { name, response: response.toJSON() });
}
