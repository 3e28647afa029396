import * as z from 'zod';
import { SCOPES } from '#lib/platform/http/access.ts';
import { atMost } from '#lib/platform/http/json-size.ts';
import { isId } from '#lib/platform/ids.ts';
import { Instant } from '#lib/platform/instant.ts';
import { Name, Slug } from '#lib/platform/text.ts';

/** What API keys are made and changed with. What each member means to a key that there is: KeyRecord in api-key.ts. */

/** Checks and entities that a key may be held to, together. */
const MAX_IDS = 50;
const MAX_SKILLS = 20;
/** How long a rotated key lives on at most, in seconds: 7 days. */
const MAX_OVERLAP = 604_800;

export const READ_ONLY = 'Whether it may only read; fixed for its lifetime. Secrets are shown to it as ********.';
export const HELD_TO = {
  scopes: 'What alone it may do, within the role of its user; null: all of that.',
  check_ids: 'Checks that it may push to; null, as are entity_ids: to any.',
  entity_ids: 'Entities to whose checks it may push; null, as are check_ids: to any.',
  skills: 'Slugs of the skills whose tools it may call, at /v1/mcp alone; null: it is held to none.',
};

/** At least one, none twice. */
const listOf = <Member extends z.ZodType>(member: Member, most: number) =>
  atMost(
    most,
    z
      .array(member)
      .min(1, 'must name at least one; leave it out to hold the key to none')
      .max(most)
      .superRefine((members, context) => {
        for (const [i, one] of members.entries()) {
          if (members.indexOf(one) < i) context.addIssue({ code: 'custom', path: [i], message: 'is there twice' });
        }
      }),
    `must be at most ${most}`,
  )
    .nullable()
    .default(null);

const idOf = (prefix: string, what: string) =>
  z.string().refine((id) => isId(prefix, id), `must be the id of ${what}: ${prefix}_…`);

const PUSHES = `Only with the one scope push, and at most ${MAX_IDS} of both.`;

export const NewKey = z
  .object({
    label: Name.describe('What the key is for, such as "dashboard".'),
    is_read_only: z.boolean().describe(READ_ONLY).default(false),
    scopes: listOf(z.enum(SCOPES), SCOPES.length).describe(HELD_TO.scopes),
    expires_at: Instant.nullable()
      .default(null)
      .describe(
        'From when on it is refused: 1 minute to 3,650 days ahead, and no later than the key that makes it. ' +
          'Absent: when that expires, or never.',
      ),
    check_ids: listOf(idOf('chk', 'a check'), MAX_IDS).describe(`${HELD_TO.check_ids} ${PUSHES}`),
    entity_ids: listOf(idOf('ent', 'an entity'), MAX_IDS).describe(`${HELD_TO.entity_ids} ${PUSHES}`),
    skills: listOf(Slug, MAX_SKILLS).describe(`${HELD_TO.skills} Only with the scope mcp.`),
  })
  .superRefine(({ is_read_only, scopes, check_ids, entity_ids, skills }, context) => {
    const refuse = (member: string, message: string) => context.addIssue({ code: 'custom', path: [member], message });
    if (scopes && is_read_only) {
      refuse('scopes', 'are not possible with is_read_only; give the scope read in its place');
    }
    const pushesAlone = scopes?.length === 1 && scopes[0] === 'push';
    for (const [member, ids] of Object.entries({ check_ids, entity_ids })) {
      if (ids && !pushesAlone) refuse(member, 'are possible with the one scope push alone: "scopes": ["push"]');
    }
    const count = (check_ids?.length ?? 0) + (entity_ids?.length ?? 0);
    if (count > MAX_IDS) refuse('entity_ids', `are ${count} with check_ids; at most ${MAX_IDS} are possible`);
    if (skills && !scopes?.includes('mcp')) refuse('skills', 'are possible with the scope mcp alone; add it to scopes');
  })
  .meta({ id: 'NewApiKey' });
export type NewKey = z.output<typeof NewKey>;

/** A key for whatever its user may do, without end. */
export const fullKey = (label: string): NewKey => NewKey.parse({ label });

/** What is supplied changes. */
export const KeyPatch = z
  .object({
    label: Name.describe('What the key is for.'),
    expires_at: Instant.describe('From when on it is refused: 1 minute ahead or more, and no later than it was.'),
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
      .describe('How long the old key lives on beside the new one; 0: no longer.')
      .default(86_400),
    expires_at: Instant.describe(
      'When the new key expires, as of any new key. Absent: after as long as the old one was made for.',
    ).optional(),
  })
  .meta({ id: 'ApiKeyRotation' });
export type Rotation = z.output<typeof Rotation>;
