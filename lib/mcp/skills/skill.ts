import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import { builtInTools } from '#lib/mcp/tools/registry.ts';
import { atMost } from '#lib/platform/http/json-size.ts';
import { CreatedAt, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { pick, withoutNulls } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { Name, Slug, text } from '#lib/platform/text.ts';
import { schemaIssues } from './input-schema.ts';

const MAX_TOOLS = 100;
const MAX_TOOLS_BYTES = 64 * 1024;

const InputSchema = z
  .record(z.string(), z.unknown())
  .superRefine((schema, context) => {
    for (const { path, message } of schemaIssues(schema)) {
      // Validation stops here, because the schema may be nested too deeply.
      context.addIssue({ code: 'custom', path, message, continue: false });
    }
  })
  .describe('JSON Schema of type object; without $ref, pattern, patternProperties and x-mcp-header.');

/** Tool of a skill: a built-in one by name, or one bound to an action. Calls of any other tool return an error. */
export const ToolDefinition = z
  .object({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'must have 1 to 128 letters, digits, "_", "." or "-"')
      .describe('Name of the tool. MCP clients see a built-in tool only if a skill has a tool with its name.'),
    description: text(0, 8192).describe('Description for models: purpose and use.').default(''),
    inputSchema: InputSchema,
    action_id: z.string().optional().describe('Id of the action that a call runs, with the arguments as vars.'),
  })
  .meta({ id: 'Tool' });
export type ToolDefinition = z.infer<typeof ToolDefinition>;

const ListOfTools = z
  .array(z.preprocess((tool) => withoutNulls(tool), ToolDefinition))
  .max(MAX_TOOLS)
  .superRefine((tools, context) => {
    const addIssue = (i: number, property: string, message: string) =>
      context.addIssue({ code: 'custom', path: [i, property], message });
    const seen = new Set<string>();
    for (const [i, { name, action_id }] of tools.entries()) {
      if (seen.has(name)) addIssue(i, 'name', 'is a duplicate; names are unique within a skill');
      seen.add(name);
      if (action_id !== undefined && builtInTools.has(name)) {
        addIssue(i, 'action_id', `is not allowed: ${name} is built in; choose another name`);
      }
    }
  });

/** Tools; the size is validated before the contents. */
const Tools = z.preprocess(
  (tools, context) => {
    if (tools === undefined || Buffer.byteLength(JSON.stringify(tools)) <= MAX_TOOLS_BYTES) return tools;
    context.addIssue({ code: 'custom', message: `must have at most ${MAX_TOOLS_BYTES} bytes as JSON` });
    return z.NEVER;
  },
  atMost(MAX_TOOLS, ListOfTools, `must have at most ${MAX_TOOLS} tools`),
);

const fields = {
  name: Name.describe('Human-readable name.'),
  description: text(0, 8192).describe('Human-readable description; may be empty.'),
  version: text(0, 100).describe('Version in any format; may be empty.'),
  tools: Tools.describe('Tools, at most 100 and 64 KB as JSON. A change replaces all of them.'),
};

const Enabled = z.boolean().describe('Whether its tools are listed and callable. Default: true.');

export const NewSkill = z
  .object({
    slug: Slug.describe('Slug of the skill in paths; unique within the account, cannot change.'),
    ...fields,
    description: fields.description.default(''),
    version: fields.version.default(''),
    enabled: Enabled.default(true),
  })
  .meta({ id: 'NewSkill' });
export type NewSkill = z.infer<typeof NewSkill>;

/** Partial update, `tools` as a whole; `slug` is accepted unchanged, so that a record can be sent back. */
export const SkillPatch = z
  .object({ slug: Unchanged, ...fields, enabled: Enabled })
  .partial()
  .meta({ id: 'SkillPatch' });
export type SkillPatch = z.infer<typeof SkillPatch>;

export const Skill = z
  .object({
    slug: z.string().describe('Slug of the skill in paths.'),
    name: z.string().describe('Human-readable name.'),
    description: z.string().describe('Human-readable description; may be empty.'),
    version: z.string().describe('Version in any format; may be empty.'),
    tools: z.array(ToolDefinition).describe('Tools of the skill.'),
    enabled: Enabled,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Skill' });
export type Skill = z.infer<typeof Skill>;

/** Stored skill: 0.3 KB plus its description and tools. `number`: order of registration. */
export type SkillItem = Item & Skill & { v: string; tenant_id: string; number: number };

/** Number of skills of a tenant, and number ever registered. */
export type SkillCountItem = Item & { v: string; count: number; registered: number };

const SkillSettings = Skill.omit({ created_at: true, updated_at: true });

export const auditedSkill: Audited<SkillItem> = {
  type: 'skill',
  target: ({ slug, name }) => ({ id: slug, name }),
  properties: (skill) => pick(SkillSettings, skill),
};

export const skillRecord = (item: SkillItem): Skill => pick(Skill, item);
