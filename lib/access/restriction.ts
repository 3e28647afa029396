import { AppError } from '#lib/platform/errors.ts';

/** Restrictions of a key in addition to its scopes; null: unrestricted. Sessions without a key are unrestricted. */
export type Restriction = {
  check_ids: readonly string[] | null;
  entity_ids: readonly string[] | null;
  skills: readonly string[] | null;
};

export const UNRESTRICTED: Restriction = { check_ids: null, entity_ids: null, skills: null };

/** Throws FORBIDDEN for a key restricted to other checks. @param check undefined: the target is not a check */
export function assertCheckAllowed(
  { check_ids, entity_ids }: Pick<Restriction, 'check_ids' | 'entity_ids'>,
  check?: { id: string; entity_id: string },
): void {
  if (check_ids === null && entity_ids === null) return;
  if (check && (check_ids?.includes(check.id) || entity_ids?.includes(check.entity_id))) return;
  throw new AppError(
    'FORBIDDEN',
    `This key is restricted to checks that do not include ${check ? `check ${check.id}` : 'this target'}. ` +
      'Create a key for it, or one without check_ids and entity_ids.',
  );
}

/** Throws FORBIDDEN for a key restricted to skills: it may call their tools, but not the API. */
export function assertApiAllowed({ skills }: Pick<Restriction, 'skills'>): void {
  if (skills === null) return;
  throw new AppError(
    'FORBIDDEN',
    `This key is restricted to the tools of the skills ${skills.join(', ')} at /v1/mcp. Create a key without skills.`,
  );
}

/** Whether a caller may call the tools of a skill. */
export const reachesSkill = ({ skills }: Pick<Restriction, 'skills'>, slug: string): boolean =>
  skills === null || skills.includes(slug);
