import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { reachesSkill } from '#lib/access/restriction.ts';
import type { SkillItem, ToolDefinition } from '#lib/mcp/skills/skill.ts';
import { allSkills } from '#lib/mcp/skills/skill-store.ts';
import { builtInTools } from '#lib/mcp/tools/registry.ts';
import type { Annotations } from '#lib/mcp/tools/tool.ts';
import { AppError } from '#lib/platform/errors.ts';
import { type Guarded, isAllowed } from '#lib/platform/http/access.ts';
import { decodeCursor, encodeCursor, gather } from '#lib/platform/http/paging.ts';
import { CODE, RpcError } from './json-rpc.ts';

type ListedTool = Pick<ToolDefinition, 'name' | 'description' | 'inputSchema'> & { annotations?: Annotations };

const MAX_BYTES = 2_000_000;
const Position = z.string().max(128);

/** Returns the tools of enabled skills within the key's `skills`. Of equal names, the skill registered first counts. */
export function enabledTools({ caller }: Pick<Context, 'caller'>, skills: SkillItem[]): Map<string, ToolDefinition> {
  const tools = new Map<string, ToolDefinition>();
  for (const skill of skills.filter(({ enabled, slug }) => enabled && reachesSkill(caller, slug))) {
    for (const tool of skill.tools) if (!tools.has(tool.name)) tools.set(tool.name, tool);
  }
  return tools;
}

/** Returns the access that a call of a tool requires: that of the built-in tool, else the access to run an action. */
export const accessOf = ({ name }: Pick<ToolDefinition, 'name'>): Guarded =>
  builtInTools.get(name)?.access ?? 'respond';

/** Returns a page of the enabled tools that the caller may call, by name. Throws RpcError for an invalid cursor. */
export async function listTools(
  context: Context,
  cursor: unknown,
): Promise<{ tools: ListedTool[]; nextCursor?: string }> {
  const scope = `${context.tenant} tools`;
  const after = positionOf(scope, cursor);
  const tools = [...enabledTools(context, await allSkills(context)).values()]
    .filter((tool) => isAllowed(context.caller, accessOf(tool)))
    .filter(({ name }) => after === undefined || name > after)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const found = tools.map((tool) => ({ at: tool.name, value: listedTool(tool) }));
  const { values, next } = await gather(async () => ({ found }), { limit: 1000, maxBytes: MAX_BYTES });
  return { tools: values, ...(next !== undefined && { nextCursor: encodeCursor(scope, next) }) };
}

function positionOf(scope: string, cursor: unknown): string | undefined {
  if (cursor === undefined) return undefined;
  try {
    return decodeCursor(scope, z.string().parse(cursor), Position);
  } catch (error) {
    if (error instanceof AppError || error instanceof z.ZodError) {
      throw new RpcError(CODE.INVALID_PARAMS, 'The cursor is not valid for this list. Omit it to start again.');
    }
    throw error;
  }
}

function listedTool({ name, description, inputSchema }: ToolDefinition): ListedTool {
  const annotations = builtInTools.get(name)?.annotations;
  return { name, description, inputSchema, ...(annotations && { annotations }) };
}
