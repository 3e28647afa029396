import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { Name } from '#lib/platform/text.ts';
import { RegistrationResponse } from './responses.ts';

/** Maximum number of passkeys per user. */
export const MAX_PASSKEYS = 10;

const PasskeyName = Name.describe('Name of the passkey, such as "laptop".');

export const NewPasskey = z
  .object({ name: PasskeyName, response: RegistrationResponse.describe('Response of the browser to the options.') })
  .meta({ id: 'NewPasskey' });
export type NewPasskey = z.infer<typeof NewPasskey>;

export const PasskeyPatch = z.object({ name: PasskeyName }).meta({ id: 'PasskeyPatch' });
export type PasskeyPatch = z.infer<typeof PasskeyPatch>;

export const PasskeyRecord = z
  .object({
    id: IdOf('the passkey'),
    name: PasskeyName,
    rp_id: z.string().describe('Host at which the passkey works. It does not work at other addresses of this service.'),
    created_at: CreatedAt,
    last_used_at: z.iso.datetime().nullable().describe('Time of its last sign-in; null if never used.'),
    synced: z.boolean().describe('Whether a copy is stored elsewhere, for example in a password manager.'),
  })
  .meta({ id: 'Passkey' });
export type PasskeyRecord = z.infer<typeof PasskeyRecord>;

/** Passkey, stored under the digest of its credential id. About 800 bytes. The item of its user lists it. */
export type PasskeyItem = Item &
  PasskeyRecord & {
    v: string;
    tenant_id: string;
    user_id: string;
    /** Chosen by the authenticator, in base64url. */
    credential_id: string;
    /** COSE_Key (RFC 9052, section 7) in base64url. */
    public_key: string;
    /** Signature counter of the authenticator; 0 if it does not count. */
    counter: number;
  };

export const passkeyRecord = (item: PasskeyItem): PasskeyRecord => pick(PasskeyRecord, item);

export const auditedPasskey: Audited<Pick<PasskeyItem, 'id' | 'name' | 'user_id'>> = {
  type: 'passkey',
  target: ({ id, name, user_id }) => ({ id, name, within: [user_id] }),
  properties: ({ name }) => ({ name }),
};
