import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { seesSecrets } from '#lib/access/redaction.ts';
import type { Audited } from '#lib/audit/write.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/members.ts';
import type { Item } from '#lib/platform/ports.ts';
import { REDACTED } from '#lib/platform/secrets/redacted.ts';
import { Name, Slug } from '#lib/platform/text.ts';

const LABEL = 'What it is for.';
const BLUEPRINT =
  'A ping of an unknown slug with create=1 makes an entity of this blueprint, and its check; none: it does not.';

export const NewPingKey = z
  .object({
    label: Name.describe(LABEL),
    blueprint_slug: Slug.nullable().describe(BLUEPRINT).default(null),
  })
  .meta({ id: 'NewPingKey' });
export type NewPingKey = z.output<typeof NewPingKey>;

/** A ping key on the wire (docs/CONTRACT.md#pings). */
export const PingKeyRecord = z
  .object({
    id: IdOf('the ping key'),
    label: z.string().describe(LABEL),
    key: z.string().describe('Opens /ping/{key}/{slug of a check}, and nothing else: whoever has it can ping.'),
    blueprint_slug: z.string().nullable().describe(BLUEPRINT),
    created_at: CreatedAt,
  })
  .meta({ id: 'PingKey' });
export type PingKeyRecord = z.infer<typeof PingKeyRecord>;

/** A ping key among its tenant's: about 200 bytes, written once. */
export type PingKeyItem = Item & PingKeyRecord & { v: string };

/** Leads from the digest of a ping key to its tenant. Of one that is gone nothing is left. */
export type PingKeyPointer = Item & { tenant_id: string; id: string; label: string; blueprint_slug: string | null };

/** How many there are. */
export type PingKeyCountItem = Item & { v: string; count: number };

/** The ping key as it is shown; who may only read sees no key. */
export const pingKeyRecord = ({ caller }: Pick<Context, 'caller'>, item: PingKeyItem): PingKeyRecord => ({
  id: item.id,
  label: item.label,
  key: seesSecrets(caller) ? item.key : REDACTED,
  blueprint_slug: item.blueprint_slug,
  created_at: item.created_at,
});

export const auditedPingKey: Audited<PingKeyItem> = {
  type: 'ping_key',
  target: ({ id, label }) => ({ id, name: label }),
  members: ({ label, blueprint_slug }) => ({ label, blueprint_slug }),
};
