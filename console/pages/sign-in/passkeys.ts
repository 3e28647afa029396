import { ApiFailure, call } from '#console/api/call.ts';

/** What a browser says of authenticators, in words for people (WebAuthn level 3, section 14.5.1). */
const BROWSER_ERRORS: Readonly<Record<string, string>> = {
  NotAllowedError: 'Nothing was done: it was cancelled, took too long, or the authenticator did not know you.',
  InvalidStateError: 'This authenticator has a passkey of yours already. Use another one.',
};

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const message = error instanceof Error ? (BROWSER_ERRORS[error.name] ?? error.message) : String(error);
    throw new ApiFailure(message, { status: 0, code: 'UNREACHABLE' });
  }
}

/** Signs in by a passkey. Throws ApiFailure. */
export async function signInByPasskey(): Promise<void> {
  const options = await call<PublicKeyCredentialRequestOptionsJSON>('POST', '/v1/sign-in/passkey/options', undefined, {
    open: true,
  });
  const response = await asked(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  });
  await call('POST', '/v1/sign-in/passkey', { response: response.toJSON() }, { open: true });
}

/** Adds a passkey to whoever is signed in. @param name what they call it. Throws ApiFailure. */
export async function addPasskey(name: string): Promise<void> {
  const options = await call<PublicKeyCredentialCreationOptionsJSON>('POST', '/v1/sign-in/passkeys/options');
  const response = await asked(async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  });
  await call('POST', '/v1/sign-in/passkeys', { name, response: response.toJSON() });
}
