import * as z from 'zod';
import { canonicalBytes } from '#lib/platform/canonical-base64url.ts';
import { text } from '#lib/platform/text.ts';

/** Maximum size of a response in bytes; larger than any authenticator response with its certificates. */
export const MAX_RESPONSE_BYTES = 64 * 1024;

/** A credential id has at most 1,023 bytes (WebAuthn level 3, section 4). */
const MAX_ID_LENGTH = 1364;

const FORM = 'must be base64url without padding, as toJSON() of the browser returns it';

const base64url = (maxLength: number) =>
  text(1, maxLength)
    .regex(/^[A-Za-z0-9_-]+$/, { error: FORM, abort: true })
    .refine((value) => canonicalBytes(value) !== undefined, FORM);

const CredentialId = base64url(MAX_ID_LENGTH);
/** The limit of a part is below that of the body, so that the error for a part that is too long names the part. */
const Part = base64url(16 * 1024);
const TYPE = z.literal('public-key').describe('Type of the credential; always public-key.');
const CLIENT_DATA = Part.describe('Client data that was signed: JSON, in base64url.');

/** RegistrationResponseJSON (WebAuthn level 3, section 5.1). Further properties that browsers send are ignored. */
export const RegistrationResponse = z
  .looseObject({
    id: CredentialId.describe('Id of the credential, in base64url.'),
    type: TYPE,
    response: z
      .looseObject({
        clientDataJSON: CLIENT_DATA,
        attestationObject: Part.describe('Credential with its public key: CBOR, in base64url.'),
      })
      .describe('AuthenticatorAttestationResponse, as JSON.'),
  })
  .meta({ id: 'RegistrationResponse' });
export type RegistrationResponse = z.infer<typeof RegistrationResponse>;

/** AuthenticationResponseJSON (WebAuthn level 3, section 5.1). Further properties that browsers send are ignored. */
export const AuthenticationResponse = z
  .looseObject({
    id: CredentialId.describe('Id of the credential, in base64url.'),
    type: TYPE,
    response: z
      .looseObject({
        clientDataJSON: CLIENT_DATA,
        authenticatorData: Part.describe('Authenticator data, in base64url.'),
        signature: Part.describe('Signature over authenticator data and client data, in base64url.'),
        userHandle: base64url(100).describe('User handle stored in the passkey, in base64url.'),
      })
      .describe('AuthenticatorAssertionResponse, as JSON.'),
  })
  .meta({ id: 'AuthenticationResponse' });
export type AuthenticationResponse = z.infer<typeof AuthenticationResponse>;

/** Validated part of CollectedClientData (WebAuthn level 3, section 5.8.1). */
const ClientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
});
export type ClientData = z.infer<typeof ClientData>;

/** Parses the client data of a browser; undefined if it is malformed. */
export function clientDataOf(base64: string): ClientData | undefined {
  try {
    return ClientData.parse(JSON.parse(Buffer.from(base64, 'base64url').toString('utf8')));
  } catch {
    return undefined;
  }
}
