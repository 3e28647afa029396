import type { FormSchema } from '#console/rules/form-fields.ts';
import generated from '#generated/schemas.json' with { type: 'json' };
import type { PolicySettings } from '#lib/alerting/policy/settings.ts';

/** Request schema of a check or channel type. */
export type TypeSchema = FormSchema & { title: string; description: string };

type PolicySchema = FormSchema & {
  properties: Readonly<Record<keyof PolicySettings, FormSchema & { title: string }>>;
};

/** Types by name, in the order of their registries (infra/docs/console-schemas.ts). */
type Schemas = {
  checks: Record<string, TypeSchema>;
  channels: Record<string, TypeSchema>;
  policy: PolicySchema;
};

export const schemas = generated as Schemas;
