import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import { builtInTools } from '#lib/mcp/tools/registry.ts';
import { atMost } from '#lib/platform/http/json-size.ts';
import { CreatedAt, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { pick, withoutNulls } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { Name, Slug, text } from '#lib/platform/text.ts';
import { schemaComplaints } from './input-schema.ts';

const MAX_TOOLS = 100;
const MAX_TOOLS_BYTES = 64 * 1024;

const InputSchema = z
  .record(z.string(), z.unknown())
  .superRefine((schema, context) => {
    for (const { path, message } of schemaComplaints(schema)) {
      // Nothing further is validated: the schema may be nested too deeply to look at.
      context.addIssue({ code: 'custom', path, message, continue: false });
    }
  })
  .describe('JSON Schema of type object; without $ref, pattern, patternProperties and x-mcp-header.');

/** A tool of a skill: one of the built-in ones by its name, or one of the tenant's own, bound to an action. */
export const ToolDefinition = z
  .object({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'must have 1 to 128 letters, digits, "_", "." or "-"')
      .describe('What agents call it by; that of a built-in tool makes that one discoverable.'),
    description: text(0, 8192).describe('What models read of it: what it does and when to use it.').default(''),
    inputSchema: InputSchema,
    action_id: z.string().optional().describe('The action that a call runs, with the arguments as vars.'),
  })
  .meta({ id: 'Tool' });
export type ToolDefinition = z.infer<typeof ToolDefinition>;

const ListOfTools = z
  .array(z.preprocess((tool) => withoutNulls(tool), ToolDefinition))
  .max(MAX_TOOLS)
  .superRefine((tools, context) => {
    const complain = (i: number, member: string, message: string) =>
      context.addIssue({ code: 'custom', path: [i, member], message });
    const seen = new Set<string>();
    for (const [i, { name, action_id }] of tools.entries()) {
      if (seen.has(name)) complain(i, 'name', 'is there twice; a name is unique within a skill');
      seen.add(name);
      if (action_id !== undefined && builtInTools.has(name)) {
        complain(i, 'action_id', `is not possible: ${name} is built in; choose another name for this tool`);
      }
    }
  });

/** The size is validated before the contents. */
const Tools = z.preprocess(
  (tools, context) => {
    if (tools === undefined || Buffer.byteLength(JSON.stringify(tools)) <= MAX_TOOLS_BYTES) return tools;
    context.addIssue({ code: 'custom', message: `must have at most ${MAX_TOOLS_BYTES} bytes as JSON` });
    return z.NEVER;
  },
  atMost(MAX_TOOLS, ListOfTools, `must be at most ${MAX_TOOLS} tools`),
);

const fields = {
  name: Name.describe('What the skill is called, for people.'),
  description: text(0, 8192).describe('For people; may be empty.'),
  version: text(0, 100).describe('In whatever form you count versions; may be empty.'),
  tools: Tools.describe('The tools that agents find; at most 100, and 64 KB as JSON. A change replaces them all.'),
};

const Enabled = z.boolean().describe('The tools of a disabled skill are neither listed nor callable.');

/** A skill's manifest, as it is registered. */
export const NewSkill = z
  .object({
    slug: Slug.describe('Names the skill in paths; unique within the account, and fixed.'),
    ...fields,
    description: fields.description.default(''),
    version: fields.version.default(''),
    enabled: Enabled.default(true),
  })
  .meta({ id: 'NewSkill' });
export type NewSkill = z.infer<typeof NewSkill>;

/** What is supplied changes, `tools` as a whole. A record can be sent back whole: `slug` may be repeated. */
export const SkillPatch = z
  .object({ slug: Unchanged, ...fields, enabled: Enabled })
  .partial()
  .meta({ id: 'SkillPatch' });
export type SkillPatch = z.infer<typeof SkillPatch>;

export const Skill = z
  .object({
    slug: z.string().describe('Names the skill in paths.'),
    name: z.string().describe('What the skill is called, for people.'),
    description: z.string().describe('For people; may be empty.'),
    version: z.string().describe('In whatever form you count versions.'),
    tools: z.array(ToolDefinition).describe('The tools that agents find.'),
    enabled: Enabled,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Skill' });
export type Skill = z.infer<typeof Skill>;

/** A skill. 0.3 KB and its tools. `number` says in which order they were registered. */
export type SkillItem = Item & Skill & { v: string; tenant_id: string; number: number };

/** How many skills a tenant has, and how many it ever registered. */
export type SkillCountItem = Item & { v: string; count: number; registered: number };

const SkillSettings = Skill.omit({ created_at: true, updated_at: true });

export const auditedSkill: Audited<SkillItem> = {
  type: 'skill',
  target: ({ slug, name }) => ({ id: slug, name }),
  members: (skill) => pick(SkillSettings, skill),
};

export const skillRecord = (item: SkillItem): Skill => pick(Skill, item);
