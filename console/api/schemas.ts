import generated from '#console/generated/schemas.json' with { type: 'json' };
import type { MemberSchema } from '#console/rules/form-fields.ts';

/** The request that makes one of a type: its title, what it does, and its members. */
export type TypeSchema = MemberSchema & { title: string; description: string };

/** The types by name, in the order of their registries (made by `npm run openapi`, infra/docs/console-schemas.ts). */
type Schemas = {
  checks: Record<string, TypeSchema>;
  channels: Record<string, TypeSchema>;
  /** Requests that make one. */
  action: MemberSchema;
  skill: MemberSchema;
  tool: MemberSchema;
  /** Names of tools that need no action. */
  builtInTools: readonly string[];
};

export const schemas = generated as unknown as Schemas;
