import { invalid } from '#lib/platform/errors.ts';
import { allowHost } from '#lib/platform/net/egress.ts';
import type { Settings } from '#lib/platform/settings.ts';
import type { CheckSettings } from './check-type.ts';
import { checkTypeOf } from './registry.ts';

/**
 * Refuses settings that name, as a literal, a host which checks may not reach. Names are judged at each probe, when it
 * is known what they resolve to. Throws VALIDATION_ERROR at the setting (`target_url`, `config.host`, …).
 */
export function guardSettings(check: CheckSettings, settings: Pick<Settings, 'CHECK_EGRESS' | 'EGRESS_ALLOW'>): void {
  for (const { path, host } of checkTypeOf(check.check_type).hosts(check)) {
    const verdict = allowHost(host, settings.CHECK_EGRESS, settings.EGRESS_ALLOW);
    if (!verdict.ok) throw invalid(path, verdict.reason);
  }
}
