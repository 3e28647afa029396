import * as z from 'zod';
import type { UserItem } from '#lib/access/account.ts';
import type { PasskeyItem } from './passkey.ts';

/** COSE numbers of EdDSA, ES256, and RS256. An authenticator uses the first algorithm that it supports. */
export const ALGORITHMS = [-8, -7, -257];

/** Validity of a challenge, and timeout of the browser (ms). */
export const CHALLENGE_MS = 5 * 60_000;

const Bytes = z.string();
const PUBLIC_KEY = z.literal('public-key').describe('Type of the credential; always public-key.');
const VERIFIED = z.literal('required').describe('The authenticator must verify a fingerprint, a face or a PIN.');
const Descriptor = z.object({ id: Bytes.describe('Id of the credential, in base64url.'), type: PUBLIC_KEY });
const Challenge = Bytes.describe('32 bytes in base64url, for one use within 5 minutes.');
const Timeout = z.int().describe('Timeout of the browser in milliseconds.');

/** PublicKeyCredentialRequestOptionsJSON (WebAuthn level 3, section 5.1.9). */
export const RequestOptions = z
  .object({
    challenge: Challenge,
    rpId: z.string().describe('Host to which the passkey is bound.'),
    allowCredentials: z.array(Descriptor).describe('Empty: the browser offers all its passkeys for this host.'),
    userVerification: VERIFIED,
    timeout: Timeout,
  })
  .meta({ id: 'PasskeyRequestOptions' });
export type RequestOptions = z.infer<typeof RequestOptions>;

/** PublicKeyCredentialCreationOptionsJSON (WebAuthn level 3, section 5.1.8). */
export const CreationOptions = z
  .object({
    challenge: Challenge,
    rp: z
      .object({
        id: z.string().describe('Host to which the passkey is bound.'),
        name: z.string().describe('Name of the service.'),
      })
      .describe('This service.'),
    user: z
      .object({
        id: Bytes.describe('Id of the user, in base64url.'),
        name: z.string().describe('E-mail address of the user.'),
        displayName: z.string().describe('Name of the user, else the e-mail address.'),
      })
      .describe('User of the passkey.'),
    pubKeyCredParams: z
      .array(z.object({ type: PUBLIC_KEY, alg: z.int().describe('COSE number of the algorithm.') }))
      .describe('COSE algorithms, the best first.'),
    excludeCredentials: z
      .array(Descriptor)
      .describe('Passkeys of the user; an authenticator with one of them is rejected.'),
    authenticatorSelection: z
      .object({
        residentKey: z.literal('required').describe('The passkey works without a user name.'),
        requireResidentKey: z.literal(true).describe('residentKey for older browsers.'),
        userVerification: VERIFIED,
      })
      .describe('Required capabilities of the authenticator.'),
    attestation: z.literal('none').describe('The manufacturer of the authenticator is not requested.'),
    timeout: Timeout,
  })
  .meta({ id: 'PasskeyCreationOptions' });
export type CreationOptions = z.infer<typeof CreationOptions>;

/** Returns the options of `navigator.credentials.get` for a sign-in. Pure. @param challenge in base64url */
export const requestOptions = (challenge: string, rp_id: string): RequestOptions => ({
  challenge,
  rpId: rp_id,
  allowCredentials: [],
  userVerification: 'required',
  timeout: CHALLENGE_MS,
});

/** Returns the options of `navigator.credentials.create`. Pure. @param known existing passkeys of the user */
export const creationOptions = (
  challenge: string,
  rp_id: string,
  user: Pick<UserItem, 'id' | 'email' | 'name'>,
  known: readonly Pick<PasskeyItem, 'credential_id'>[],
): CreationOptions => ({
  challenge,
  rp: { id: rp_id, name: 'Fleetwatch' },
  user: { id: userHandleOf(user.id), name: user.email, displayName: user.name || user.email },
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  excludeCredentials: known.map(({ credential_id: id }) => ({ id, type: 'public-key' })),
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  attestation: 'none',
  timeout: CHALLENGE_MS,
});

/** Returns the user handle of a passkey: the id of the user in base64url, without personal data. */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url');
