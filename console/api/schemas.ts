import type { MemberSchema } from '#console/rules/form-fields.ts';
import generated from '#generated/schemas.json' with { type: 'json' };
import type { PolicySettings } from '#lib/alerting/policy/settings.ts';

/** The request that makes one of a type: its title, what it does, and its members. */
export type TypeSchema = MemberSchema & { title: string; description: string };

/** The settings of a policy, as the account and each check have them. */
type PolicySchema = MemberSchema & {
  properties: Readonly<Record<keyof PolicySettings, MemberSchema & { title: string }>>;
};

/** The types by name, in the order of their registries (infra/docs/console-schemas.ts). */
type Schemas = {
  checks: Record<string, TypeSchema>;
  channels: Record<string, TypeSchema>;
  /** Requests that make one. */
  action: MemberSchema;
  skill: MemberSchema;
  tool: MemberSchema;
  policy: PolicySchema;
  /** Names of tools that need no action. */
  builtInTools: readonly string[];
};

export const schemas = generated as Schemas;
