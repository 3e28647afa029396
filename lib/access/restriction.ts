import { AppError } from '#lib/platform/errors.ts';

/** What a key is held to beside its scopes; null: not at all. A session is held to nothing. */
export type Restriction = {
  check_ids: readonly string[] | null;
  entity_ids: readonly string[] | null;
  skills: readonly string[] | null;
};

export const UNRESTRICTED: Restriction = { check_ids: null, entity_ids: null, skills: null };

/** Throws FORBIDDEN for a key that is held to other checks. @param check undefined: what it pushes to is no check */
export function assertCheckAllowed(
  { check_ids, entity_ids }: Pick<Restriction, 'check_ids' | 'entity_ids'>,
  check?: { id: string; entity_id: string },
): void {
  if (check_ids === null && entity_ids === null) return;
  if (check && (check_ids?.includes(check.id) || entity_ids?.includes(check.entity_id))) return;
  throw new AppError(
    'FORBIDDEN',
    `This key is held to some checks, and ${check ? `check ${check.id}` : 'this'} is none of them. Make a key for it, ` +
      'or one without check_ids and entity_ids.',
  );
}

/** Throws FORBIDDEN for a key that is held to tools: its scopes are for these, and not for the API behind them. */
export function assertApiAllowed({ skills }: Pick<Restriction, 'skills'>): void {
  if (skills === null) return;
  throw new AppError(
    'FORBIDDEN',
    `This key is held to the tools of the skills ${skills.join(', ')}, at /v1/mcp. Make a key without skills.`,
  );
}

/** Whether it may call the tools of a skill. */
export const reachesSkill = ({ skills }: Pick<Restriction, 'skills'>, slug: string): boolean =>
  skills === null || skills.includes(slug);
