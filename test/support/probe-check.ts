import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ProbeOutcome } from '#lib/checks/outcome.ts';
import { parseCheck } from '#lib/checks/settings/model.ts';
import type { ProbeInput } from '#lib/checks/types/check-type.ts';
import { checkTypeOf } from '#lib/checks/types/registry.ts';
import { probeWorld } from './probe-world.ts';

/** Parses settings like a create request and probes them once. @returns the outcome */
export async function probeCheck(settings: object, world: ProbeInput = probeWorld()): Promise<ProbeOutcome> {
  const input = parseCheck({ entity_id: 'ent_0', ...settings }, { minInterval: 1, now: Date.now() });
  const probe = await checkTypeOf(input.check_type).probe?.();
  if (!probe) throw new Error(`${input.check_type} checks are not probed.`);
  return probe(input as CheckItem, world);
}
