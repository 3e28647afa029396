import * as z from 'zod';
import type { UserItem } from '#lib/access/account.ts';
import type { PasskeyItem } from './passkey.ts';

/** EdDSA, ES256, RS256 (COSE): what authenticators have. The first that one knows is taken. */
export const ALGORITHMS = [-8, -7, -257];

/** How long a challenge is good (ms), and the browser waits. */
export const CHALLENGE_MS = 5 * 60_000;

const Bytes = z.string();
const PUBLIC_KEY = z.literal('public-key').describe('The only type there is.');
const VERIFIED = z.literal('required').describe('A fingerprint, a face or a PIN is asked for.');
const Descriptor = z.object({ id: Bytes.describe('Of the credential, in base64url.'), type: PUBLIC_KEY });
const Challenge = Bytes.describe('32 bytes in base64url, for one use within 5 minutes.');
const Timeout = z.int().describe('How long the browser waits, in ms.');

/** PublicKeyCredentialRequestOptionsJSON (WebAuthn level 3, section 5.1.9). */
export const RequestOptions = z
  .object({
    challenge: Challenge,
    rpId: z.string().describe('The host that the passkey is bound to.'),
    allowCredentials: z.array(Descriptor).describe('Empty: the browser offers every passkey it has for this host.'),
    userVerification: VERIFIED,
    timeout: Timeout,
  })
  .meta({ id: 'PasskeyRequestOptions' });
export type RequestOptions = z.infer<typeof RequestOptions>;

/** PublicKeyCredentialCreationOptionsJSON (WebAuthn level 3, section 5.1.10). */
export const CreationOptions = z
  .object({
    challenge: Challenge,
    rp: z
      .object({
        id: z.string().describe('The host that the passkey is bound to.'),
        name: z.string().describe('What the service is called.'),
      })
      .describe('This service.'),
    user: z
      .object({
        id: Bytes.describe('Id of the user, in base64url.'),
        name: z.string().describe('Their e-mail address.'),
        displayName: z.string().describe('Their name; the e-mail address where there is none.'),
      })
      .describe('Whose passkey it becomes.'),
    pubKeyCredParams: z
      .array(z.object({ type: PUBLIC_KEY, alg: z.int().describe('Number of the algorithm in COSE.') }))
      .describe('Algorithms of COSE, the best first.'),
    excludeCredentials: z.array(Descriptor).describe('Passkeys of the user; an authenticator that has one is no use.'),
    authenticatorSelection: z
      .object({
        residentKey: z.literal('required').describe('It is found without a user name.'),
        requireResidentKey: z.literal(true).describe('The same, for older browsers.'),
        userVerification: VERIFIED,
      })
      .describe('What the authenticator must be able to do.'),
    attestation: z.literal('none').describe('The maker of the authenticator is not asked for.'),
    timeout: Timeout,
  })
  .meta({ id: 'PasskeyCreationOptions' });
export type CreationOptions = z.infer<typeof CreationOptions>;

/** What `navigator.credentials.get` is asked for to sign in. Pure. @param challenge in base64url */
export const requestOptions = (challenge: string, rp_id: string): RequestOptions => ({
  challenge,
  rpId: rp_id,
  allowCredentials: [],
  userVerification: 'required',
  timeout: CHALLENGE_MS,
});

/** What `navigator.credentials.create` is asked for. Pure. @param known passkeys that the user has already */
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

/** The user handle that a passkey keeps: the user's id, in base64url. It says nothing about the person. */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url');
