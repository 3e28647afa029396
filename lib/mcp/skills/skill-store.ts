import type { Scope } from '#lib/access/context.ts';
import { SKILLS } from '#lib/keys.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/table/paging.ts';
import { type Skill, type SkillItem, skillRecord } from './skill.ts';

/**
 * Items of skills and how they are read, all strongly:
 *
 * | pattern                         | request                |
 * |---------------------------------|------------------------|
 * | a skill                         | get skill(tenant, slug) |
 * | skills of a tenant, by slug     | query skills(tenant)    |
 * | tools of a tenant, one to call  | query skills(tenant)    |
 */

/** The skill that a path names. Throws NOT_FOUND. */
export async function requireSkill({ ports, keys, tenant }: Scope, slug: string): Promise<SkillItem> {
  const skill = await ports.table.get<SkillItem>(keys.skill(tenant, slug));
  if (!skill) throw notFound(`Skill ${slug}`);
  return skill;
}

function skillItems({ ports, keys, tenant }: Scope): Reader<SkillItem> {
  return async (after, limit) => {
    const { items, next } = await ports.table.query<SkillItem>({
      partition: keys.skills(tenant),
      prefix: SKILLS,
      limit,
      after,
    });
    return { found: items.map((value) => ({ at: value.sk, value })), next };
  };
}

/** Skills as the interface shows them, in the order of their slugs. */
export function skillList(scope: Scope): Reader<Skill> {
  const read = skillItems(scope);
  return async (after, limit) => {
    const { found, next } = await read(after, limit);
    return { found: found.map(({ at, value }) => ({ at, value: skillRecord(value) })), next };
  };
}

/** Every skill of a tenant, the first registered first. */
export async function allSkills(scope: Scope): Promise<SkillItem[]> {
  const read = skillItems(scope);
  const all: SkillItem[] = [];
  let after: string | undefined;
  do {
    const { found, next } = await read(after, 1000);
    all.push(...found.map(({ value }) => value));
    after = next;
  } while (after !== undefined);
  return all.sort((a, b) => a.number - b.number);
}
