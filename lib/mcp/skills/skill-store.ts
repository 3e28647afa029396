import type { TenantScope } from '#lib/access/context.ts';
import { SKILLS, under } from '#lib/keys.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import type { Query } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { type Skill, type SkillItem, skillRecord } from './skill.ts';

/** Returns a skill by its slug. Throws NOT_FOUND. */
export async function requireSkill({ ports, keys, tenant }: TenantScope, slug: string): Promise<SkillItem> {
  const skill = await ports.table.get<SkillItem>(keys.skill(tenant, slug));
  if (!skill) throw notFound(`Skill ${slug}`);
  return skill;
}

const skillsOf = ({ keys, tenant }: TenantScope): Query => ({ partition: keys.skills(tenant), ...under(SKILLS) });

/** Returns a reader of skill records, sorted by slug. */
export function skillList(scope: TenantScope): Reader<Skill> {
  return async (after, limit) => {
    const { items, next } = await scope.ports.table.query<SkillItem>({ ...skillsOf(scope), limit, after });
    return { found: items.map((item) => ({ at: item.sk, value: skillRecord(item) })), next };
  };
}

/** Returns all skills of a tenant, in order of registration. */
export async function allSkills(scope: TenantScope): Promise<SkillItem[]> {
  const all = await allOf<SkillItem>(scope.ports.table, skillsOf(scope));
  return all.sort((a, b) => a.number - b.number);
}
