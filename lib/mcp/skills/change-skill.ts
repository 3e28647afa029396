import { auditWriter } from '#lib/access/audit-writer.ts';
import type { MutationContext, TenantScope } from '#lib/access/context.ts';
import { requireAction } from '#lib/actions/store.ts';
import { isSame } from '#lib/audit/write.ts';
import { AppError } from '#lib/platform/errors.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import {
  auditedSkill,
  type NewSkill,
  type SkillCountItem,
  type SkillItem,
  type SkillPatch,
  type ToolDefinition,
} from './skill.ts';
import { requireSkill } from './skill-store.ts';

/** Maximum number of skills, because each tool call reads all of them. */
const MAX_SKILLS = 100;

/** Registers a skill. Throws CONFLICT for a duplicate slug, NOT_FOUND for a missing action, LIMIT_EXCEEDED. */
export async function createSkill(scope: MutationContext, input: NewSkill): Promise<SkillItem> {
  const { ports, keys, tenant } = scope;
  await assertActionsExist(scope, input.tools);
  const now = iso(ports.clock.now());
  const v = ports.ids.token();
  const auditWrites = auditWriter(scope, 'create', auditedSkill);
  return oneAtATime(ports.table, keys.skills(tenant), () =>
    retryOnConflict(ports, async () => {
      const [taken, before] = await skillAndCount(scope, input.slug);
      // The same version means an earlier attempt whose response was lost.
      if (taken?.v === v) return taken;
      if (taken) throw new AppError('CONFLICT', `The skill ${input.slug} already exists. Use PUT to change it.`);
      const count = counted(scope, before, +1);
      const skill: SkillItem = {
        ...keys.skill(tenant, input.slug),
        ...input,
        v,
        tenant_id: tenant,
        number: count.put.registered,
        created_at: now,
        updated_at: now,
      };
      const outcome = await commit(ports, [{ put: skill, if: 'absent' }, count, ...auditWrites(undefined, skill)]);
      return outcome.ok ? skill : RETRY;
    }),
  );
}

/** Updates a skill. Checks only new actions of its tools. Throws VALIDATION_ERROR, NOT_FOUND (skill or action). */
export async function updateSkill(scope: MutationContext, slug: string, patch: SkillPatch): Promise<SkillItem> {
  const { ports } = scope;
  const auditWrites = auditWriter(scope, 'update', auditedSkill);
  return retryOnConflict(ports, async () => {
    const before = await requireSkill(scope, slug);
    assertUnchanged({ slug: before.slug }, { slug: patch.slug });
    if (patch.tools) await assertActionsExist(scope, patch.tools, before.tools);
    const next: SkillItem = {
      ...before,
      name: patch.name ?? before.name,
      description: patch.description ?? before.description,
      version: patch.version ?? before.version,
      tools: patch.tools ?? before.tools,
      enabled: patch.enabled ?? before.enabled,
      v: ports.ids.token(),
      updated_at: iso(ports.clock.now()),
    };
    if (isSame(auditedSkill, before, next)) return before;
    const write: Write = { put: next, if: { version: before.v } };
    const outcome = await commit(ports, [write, ...auditWrites(before, next)]);
    return outcome.ok ? next : RETRY;
  });
}

export async function deleteSkill(scope: MutationContext, slug: string): Promise<void> {
  const { ports, keys, tenant } = scope;
  const auditWrites = auditWriter(scope, 'delete', auditedSkill);
  await oneAtATime(ports.table, keys.skills(tenant), () =>
    retryOnConflict(ports, async () => {
      const [skill, count] = await skillAndCount(scope, slug);
      if (!skill) return;
      const outcome = await commit(ports, [
        { delete: keys.skill(tenant, slug), if: { version: skill.v } },
        counted(scope, count, -1),
        ...auditWrites(skill, undefined),
      ]);
      return outcome.ok ? undefined : RETRY;
    }),
  );
}

const skillAndCount = ({ ports, keys, tenant }: TenantScope, slug: string) =>
  ports.table.getMany<[SkillItem, SkillCountItem]>([keys.skill(tenant, slug), keys.skillCount(tenant)]);

async function assertActionsExist(
  scope: TenantScope,
  tools: ToolDefinition[],
  before: ToolDefinition[] = [],
): Promise<void> {
  const idsOf = (list: ToolDefinition[]) => new Set(list.flatMap(({ action_id }) => action_id ?? []));
  for (const id of idsOf(tools).difference(idsOf(before))) await requireAction(scope, id);
}

function counted({ ports, keys, tenant }: TenantScope, before: SkillCountItem | undefined, step: 1 | -1) {
  const count = (before?.count ?? 0) + step;
  if (count > MAX_SKILLS) {
    throw new AppError('LIMIT_EXCEEDED', `The account has ${MAX_SKILLS} skills, the maximum. Delete one.`);
  }
  const put: SkillCountItem = {
    ...keys.skillCount(tenant),
    v: ports.ids.token(),
    count,
    registered: (before?.registered ?? 0) + Math.max(0, step),
  };
  return { put, if: before ? { version: before.v } : 'absent' } satisfies Write;
}
