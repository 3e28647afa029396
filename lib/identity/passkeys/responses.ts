import * as z from 'zod';
import { text } from '#lib/platform/text.ts';

/**
 * What a browser makes of an authenticator's answer by `toJSON()`: RegistrationResponseJSON and
 * AuthenticationResponseJSON (WebAuthn level 3, section 5.1). Browsers send more than is used here, and will send yet
 * more: that is let through unread.
 */

/** Larger than any answer of an authenticator, with the certificates of its maker. In bytes. */
export const MAX_RESPONSE_BYTES = 64 * 1024;

/** A credential id has at most 1,023 bytes (WebAuthn level 3, section 4). */
const MAX_ID_LENGTH = 1364;

const base64url = (longest: number) =>
  text(1, longest).regex(/^[A-Za-z0-9_-]+$/, 'must be base64url without padding, as toJSON() of the browser gives it');

const CredentialId = base64url(MAX_ID_LENGTH);
/** All parts together fit the body, so that one too long is answered with its name. */
const Part = base64url(16 * 1024);
const TYPE = z.literal('public-key').describe('The only type there is.');
const CLIENT_DATA = Part.describe('What the browser signed: JSON, in base64url.');

/** To `navigator.credentials.create()`. */
export const RegistrationResponse = z
  .looseObject({
    id: CredentialId.describe('Of the credential, in base64url.'),
    type: TYPE,
    response: z
      .looseObject({
        clientDataJSON: CLIENT_DATA,
        attestationObject: Part.describe('The credential with its public key: CBOR, in base64url.'),
      })
      .describe('AuthenticatorAttestationResponse, as JSON.'),
  })
  .meta({ id: 'RegistrationResponse' });
export type RegistrationResponse = z.infer<typeof RegistrationResponse>;

/** To `navigator.credentials.get()`. */
export const AuthenticationResponse = z
  .looseObject({
    id: CredentialId.describe('Of the credential, in base64url.'),
    type: TYPE,
    response: z
      .looseObject({
        clientDataJSON: CLIENT_DATA,
        authenticatorData: Part.describe('What the authenticator says of itself, in base64url.'),
        signature: Part.describe('Over both, in base64url.'),
        userHandle: base64url(100).describe('The id of the user, as the passkey keeps it, in base64url.'),
      })
      .describe('AuthenticatorAssertionResponse, as JSON.'),
  })
  .meta({ id: 'AuthenticationResponse' });
export type AuthenticationResponse = z.infer<typeof AuthenticationResponse>;

/** CollectedClientData (WebAuthn level 3, section 5.8.1), as far as it is judged. */
const ClientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
});
export type ClientData = z.infer<typeof ClientData>;

/** What the browser says of where and what for it was asked; undefined for what no browser sends. */
export function clientDataOf(base64: string): ClientData | undefined {
  try {
    return ClientData.parse(JSON.parse(Buffer.from(base64, 'base64url').toString('utf8')));
  } catch {
    return undefined;
  }
}
