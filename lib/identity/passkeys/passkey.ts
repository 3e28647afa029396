import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { Name } from '#lib/platform/text.ts';
import { RegistrationResponse } from './responses.ts';

/** The most passkeys of one user. */
export const MAX_PASSKEYS = 10;

const PasskeyName = Name.describe('What tells it from the others, such as "laptop".');

export const NewPasskey = z
  .object({ name: PasskeyName, response: RegistrationResponse.describe('What the browser answered to the options.') })
  .meta({ id: 'NewPasskey' });
export type NewPasskey = z.infer<typeof NewPasskey>;

export const PasskeyPatch = z.object({ name: PasskeyName }).meta({ id: 'PasskeyPatch' });
export type PasskeyPatch = z.infer<typeof PasskeyPatch>;

export const PasskeyRecord = z
  .object({
    id: IdOf('the passkey'),
    name: PasskeyName,
    rp_id: z.string().describe('The host it works at; at another address of this service it does not.'),
    created_at: CreatedAt,
    last_used_at: z.iso.datetime().nullable().describe('When it was used last to sign in; null: never.'),
    synced: z.boolean().describe('Whether a copy of it is kept elsewhere, as by a password manager.'),
  })
  .meta({ id: 'Passkey' });
export type PasskeyRecord = z.infer<typeof PasskeyRecord>;

/** A passkey, under the digest of its credential id. About 800 bytes. Its user lists it (UserItem). */
export type PasskeyItem = Item &
  PasskeyRecord & {
    v: string;
    tenant_id: string;
    user_id: string;
    /** As the authenticator drew it, in base64url. */
    credential_id: string;
    /** COSE_Key (RFC 9052, section 7) in base64url. */
    public_key: string;
    /** Of signatures, as the authenticator counts them; 0 where it does not. */
    counter: number;
  };

export const passkeyRecord = (item: PasskeyItem): PasskeyRecord => pick(PasskeyRecord, item);

export const auditedPasskey: Audited<Pick<PasskeyItem, 'id' | 'name' | 'user_id'>> = {
  type: 'passkey',
  target: ({ id, name, user_id }) => ({ id, name, within: [user_id] }),
  members: ({ name }) => ({ name }),
};
