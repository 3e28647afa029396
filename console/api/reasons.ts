import generated from '#generated/rules.json' with { type: 'json' };
import type { SkipReason } from './records.ts';

/** Texts of the alert rules that can be the reason of a transition (infra/docs/console-schemas.ts). */
export const reasons = generated as Readonly<Record<SkipReason, { label: string; meaning: string; remedy: string }>>;
