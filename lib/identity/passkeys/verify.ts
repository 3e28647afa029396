import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { ALGORITHMS } from './options.ts';
import type { PasskeyItem } from './passkey.ts';
import type { AuthenticationResponse, ClientData, RegistrationResponse } from './responses.ts';
import {
  authenticatorDataOf,
  type Ceremony,
  type RelyingParty,
  rejectionError,
  validateResponse,
} from './validate-response.ts';

/** A COSE_Key (RFC 9053, section 7; RFC 8230 for RSA), decoded. */
type CoseKey = ReadonlyMap<number, unknown>;

/** Accepted lengths of RSA keys in bits: shorter keys are insecure (NIST SP 800-131A), longer ones slow to verify. */
const RSA = { min: 2048, max: 4096 };

/** Whether a key is complete, has a supported algorithm (others fail at each sign-in) and an accepted length. Pure. */
export function isUsableKey(cose: CoseKey): boolean {
  const jwk = jwkOf(cose);
  if (!jwk) return false;
  try {
    const { modulusLength } = createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyDetails ?? {};
    return modulusLength === undefined || (modulusLength >= RSA.min && modulusLength <= RSA.max);
  } catch {
    return false;
  }
}

const [ALGORITHM, FIRST, SECOND, THIRD] = [3, -1, -2, -3];
const ED25519 = 6;
const P256 = 1;

function jwkOf(cose: CoseKey): JsonWebKey | undefined {
  const [first, second, third] = [FIRST, SECOND, THIRD].map((label) => cose.get(label));
  switch (cose.get(ALGORITHM)) {
    case -8:
      return first === ED25519 ? { kty: 'OKP', crv: 'Ed25519', x: base64url(second) } : undefined;
    case -7:
      return first === P256 ? { kty: 'EC', crv: 'P-256', x: base64url(second), y: base64url(third) } : undefined;
    case -257:
      return { kty: 'RSA', n: base64url(first), e: base64url(second) };
    default:
      return undefined;
  }
}

const base64url = (bytes: unknown): string =>
  bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64url') : '';

/** Loaded on first use, because loading takes half a second. */
const library = () => import('@simplewebauthn/server');
const libraryHelpers = () => import('@simplewebauthn/server/helpers');

type Registered = Pick<PasskeyItem, 'credential_id' | 'public_key' | 'counter' | 'synced'>;

/** Verifies a new passkey, not its attestation (the library would fetch revocation lists). Throws VALIDATION_ERROR. */
export async function verifyRegistration(
  { id, type, response }: RegistrationResponse,
  client: ClientData,
  relyingParty: RelyingParty,
): Promise<Registered> {
  const { isoCBOR } = await libraryHelpers();
  const authData = await unlessGarbled('webauthn.create', async () =>
    isoCBOR.decodeFirst<Map<string, unknown>>(bytesOf(response.attestationObject)).get('authData'),
  );
  if (!(authData instanceof Uint8Array)) throw rejectionError('webauthn.create', 'garbled');
  const data = assertMatches('webauthn.create', relyingParty, client, authData);
  const withoutAttestation = new Map<string, string | Uint8Array | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, string>()],
    ['authData', authData],
  ]);
  const attestationObject = Buffer.from(isoCBOR.encode(withoutAttestation)).toString('base64url');
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
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.rp_id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  const credential = registrationInfo?.credential;
  if (!credential || !isUsableKey(isoCBOR.decodeFirst(credential.publicKey))) {
    throw rejectionError('webauthn.create', 'garbled');
  }
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    synced: data.synced,
  };
}

/** Verifies the response for a sign-in, except the counter. @throws UNAUTHORIZED, VALIDATION_ERROR */
export async function verifyAuthentication(
  { id, type, response }: AuthenticationResponse,
  client: ClientData,
  relyingParty: RelyingParty,
  passkey: Pick<PasskeyItem, 'credential_id' | 'public_key'>,
) {
  const data = assertMatches('webauthn.get', relyingParty, client, bytesOf(response.authenticatorData));
  const { verifyAuthenticationResponse } = await library();
  const { verified } = await unlessGarbled('webauthn.get', () =>
    verifyAuthenticationResponse({
      response: { id, rawId: id, type, response, clientExtensionResults: {} },
      expectedChallenge: client.challenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.rp_id,
      // The library would check a stored counter before the signature, so it gets 0; sign-in.ts checks it later.
      credential: { id: passkey.credential_id, publicKey: bytesOf(passkey.public_key), counter: 0 },
      requireUserVerification: true,
    }),
  );
  if (!verified) throw rejectionError('webauthn.get', 'signature');
  return data;
}

const bytesOf = (base64url: string) => new Uint8Array(Buffer.from(base64url, 'base64url'));

function assertMatches(ceremony: Ceremony, relyingParty: RelyingParty, client: ClientData, bytes: Uint8Array) {
  const data = authenticatorDataOf(bytes);
  if (!data) throw rejectionError(ceremony, 'garbled');
  const reason = validateResponse(ceremony, relyingParty, client, data);
  if (reason) throw rejectionError(ceremony, reason);
  return data;
}

async function unlessGarbled<T>(ceremony: Ceremony, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw rejectionError(ceremony, 'garbled', cause);
  }
}
