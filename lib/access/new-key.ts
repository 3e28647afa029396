import * as z from 'zod';
import { SCOPES } from '#lib/platform/http/access.ts';
import { atMost } from '#lib/platform/http/json-size.ts';
import { isId } from '#lib/platform/ids.ts';
import { Instant } from '#lib/platform/instant.ts';
import { Name, Slug } from '#lib/platform/text.ts';

const MAX_IDS = 50;
const MAX_SKILLS = 20;
/** Maximum overlap of a rotated key in seconds: 7 days. */
const MAX_OVERLAP = 604_800;

export const READ_ONLY = 'Whether the key may only read; cannot be changed. It sees secrets as ********.';
export const RESTRICTIONS = {
  scopes: 'Scopes, within the role of the user; null allows all.',
  check_ids: 'Checks that the key may push to. All checks if this and entity_ids are null.',
  entity_ids: 'Entities whose checks the key may push to. All checks if this and check_ids are null.',
  skills:
    'Slugs of the skills whose tools the key may call; such a key works only at /v1/mcp. null: not restricted to skills.',
};

const listOf = <Member extends z.ZodType>(member: Member, max: number) =>
  atMost(
    max,
    z
      .array(member)
      .min(1, 'must not be empty; omit it for no restriction')
      .max(max)
      .superRefine((members, context) => {
        for (const [i, entry] of members.entries()) {
          if (members.indexOf(entry) < i) context.addIssue({ code: 'custom', path: [i], message: 'is a duplicate' });
        }
      }),
    `must have at most ${max} entries`,
  )
    .nullable()
    .default(null);

const idOf = (prefix: string, what: string) =>
  z.string().refine((id) => isId(prefix, id), `must be an id of ${what}: ${prefix}_…`);

const ONLY_PUSH = `Only with the single scope push; at most ${MAX_IDS} checks and entities together.`;

export const NewKey = z
  .object({
    label: Name.describe('Purpose of the key, such as "dashboard".'),
    is_read_only: z.boolean().describe(READ_ONLY).default(false),
    scopes: listOf(z.enum(SCOPES), SCOPES.length).describe(RESTRICTIONS.scopes),
    expires_at: Instant.nullable()
      .default(null)
      .describe(
        'Expiry time, 1 minute to 3,650 days ahead, and not after that of the creating key, which is the default.',
      ),
    check_ids: listOf(idOf('chk', 'a check'), MAX_IDS).describe(`${RESTRICTIONS.check_ids} ${ONLY_PUSH}`),
    entity_ids: listOf(idOf('ent', 'an entity'), MAX_IDS).describe(`${RESTRICTIONS.entity_ids} ${ONLY_PUSH}`),
    skills: listOf(Slug, MAX_SKILLS).describe(`${RESTRICTIONS.skills} Only with the scope mcp.`),
  })
  .superRefine(({ is_read_only, scopes, check_ids, entity_ids, skills }, context) => {
    const refuse = (member: string, message: string) => context.addIssue({ code: 'custom', path: [member], message });
    if (scopes && is_read_only) {
      refuse('scopes', 'are not accepted with is_read_only; use the scope read instead');
    }
    const isPushOnly = scopes?.length === 1 && scopes[0] === 'push';
    for (const [member, ids] of Object.entries({ check_ids, entity_ids })) {
      if (ids && !isPushOnly) refuse(member, 'need push as the single scope: "scopes": ["push"]');
    }
    const count = (check_ids?.length ?? 0) + (entity_ids?.length ?? 0);
    if (count > MAX_IDS) refuse('entity_ids', `exceed ${MAX_IDS} together with check_ids: ${count}`);
    if (skills && !scopes?.includes('mcp')) refuse('skills', 'need the scope mcp; add it to scopes');
  })
  .meta({ id: 'NewApiKey' });
export type NewKey = z.output<typeof NewKey>;

/** Returns a key with all permissions of its user and no expiry. */
export const fullKey = (label: string): NewKey => NewKey.parse({ label });

export const KeyPatch = z
  .object({
    label: Name.describe('Purpose of the key.'),
    expires_at: Instant.describe('Expiry time, at least 1 minute ahead and not after the current one.'),
  })
  .partial()
  .meta({ id: 'ApiKeyPatch' });
export type KeyPatch = z.output<typeof KeyPatch>;

export const Rotation = z
  .object({
    overlap_seconds: z
      .int()
      .min(0)
      .max(MAX_OVERLAP)
      .describe(
        'Seconds for which the old key still works, at most until its expiry. 0: it stops at once. Default: 86,400.',
      )
      .default(86_400),
    expires_at: Instant.describe(
      'Expiry time of the new key. Default: the same lifetime as the old key, at most until the calling key expires.',
    ).optional(),
  })
  .meta({ id: 'ApiKeyRotation' });
export type Rotation = z.output<typeof Rotation>;
