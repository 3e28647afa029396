import { authenticatorDataOf, judgeAnswer } from '#lib/sign-in/passkeys/judge-answer.ts';
import { isUsableKey } from '#lib/sign-in/passkeys/public-key.ts';
import { type Ceremony, refused } from '#lib/sign-in/passkeys/refusals.ts';
import type { Place } from './judge-answer.ts';
import { ALGORITHMS } from './options.ts';
import type { PasskeyItem } from './passkey.ts';
import type { AuthenticationResponse, ClientData, RegistrationResponse } from './responses.ts';

/** Takes half a second to load, so that nobody waits for it who uses no passkey. */
const library = () => import('@simplewebauthn/server');
const libraryHelpers = () => import('@simplewebauthn/server/helpers');

/** What is kept of a new passkey. */
type Registered = Pick<PasskeyItem, 'credential_id' | 'public_key' | 'counter' | 'synced'>;

/**
 * Verifies the answer to the options for a new passkey. Its authenticator's maker was not asked for, so what it states
 * of itself is taken away unread: to judge that, the library would fetch lists of revoked certificates.
 * Throws VALIDATION_ERROR.
 */
export async function verifyRegistration(
  { id, type, response }: RegistrationResponse,
  client: ClientData,
  place: Place,
): Promise<Registered> {
  const { isoCBOR } = await libraryHelpers();
  const authData = await unlessGarbled('webauthn.create', async () =>
    isoCBOR.decodeFirst<Map<string, unknown>>(bytesOf(response.attestationObject)).get('authData'),
  );
  if (!(authData instanceof Uint8Array)) throw refused('webauthn.create', 'garbled');
  const data = mustFit('webauthn.create', place, client, authData);
  const unstated = new Map<string, string | Uint8Array | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, string>()],
    ['authData', authData],
  ]);
  const attestationObject = Buffer.from(isoCBOR.encode(unstated)).toString('base64url');
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo } = await unlessGarbled('webauthn.create', () =>
    verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type,
        response: { clientDataJSON: response.clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: client.challenge,
      expectedOrigin: place.origin,
      expectedRPID: place.rp_id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  const credential = registrationInfo?.credential;
  if (!credential || !isUsableKey(isoCBOR.decodeFirst(credential.publicKey))) {
    throw refused('webauthn.create', 'garbled');
  }
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    synced: data.synced,
  };
}

/**
 * Verifies the answer to the options for a sign-in, but for the counter.
 * @returns what the authenticator says of itself
 * Throws UNAUTHORIZED, VALIDATION_ERROR.
 */
export async function verifyAuthentication(
  { id, type, response }: AuthenticationResponse,
  client: ClientData,
  place: Place,
  passkey: Pick<PasskeyItem, 'credential_id' | 'public_key'>,
) {
  const data = mustFit('webauthn.get', place, client, bytesOf(response.authenticatorData));
  const { verifyAuthenticationResponse } = await library();
  const { verified } = await unlessGarbled('webauthn.get', () =>
    verifyAuthenticationResponse({
      response: { id, rawId: id, type, response, clientExtensionResults: {} },
      expectedChallenge: client.challenge,
      expectedOrigin: place.origin,
      expectedRPID: place.rp_id,
      // The library looks at the counter before it has verified who says so; we do afterwards.
      credential: { id: passkey.credential_id, publicKey: bytesOf(passkey.public_key), counter: 0 },
      requireUserVerification: true,
    }),
  );
  if (!verified) throw refused('webauthn.get', 'signature');
  return data;
}

const bytesOf = (base64url: string) => new Uint8Array(Buffer.from(base64url, 'base64url'));

function mustFit(ceremony: Ceremony, place: Place, client: ClientData, bytes: Uint8Array) {
  const data = authenticatorDataOf(bytes);
  if (!data) throw refused(ceremony, 'garbled');
  const why = judgeAnswer(ceremony, place, client, data);
  if (why) throw refused(ceremony, why);
  return data;
}

/** What cannot be read at all is refused, whatever the library says of it. */
async function unlessGarbled<T>(ceremony: Ceremony, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw refused(ceremony, 'garbled', cause);
  }
}
