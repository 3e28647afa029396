import { invalid } from '#lib/platform/errors.ts';
import { refusal } from '#lib/platform/http/validation.ts';
import { allowHost } from '#lib/platform/net/egress.ts';
import type { Settings } from '#lib/platform/settings.ts';
import type { Assertion } from './assertions/assertion.ts';
import { wrongExpressions } from './assertions/expressions.ts';
import type { CheckSettings } from './check-item.ts';
import { checkTypeOf } from './registry.ts';

/**
 * Refuses what no schema can: settings that name, as a literal, a host which checks may not reach, and expressions
 * that RE2 does not know. Names are looked up, and their addresses allowed or refused, at each probe. Throws
 * VALIDATION_ERROR at the setting (`target_url`, `config.host`, …).
 * @param changed only these members are looked at; all of them without it
 */
export async function guardSettings(
  check: Pick<CheckSettings, 'check_type' | 'config'>,
  settings: Pick<Settings, 'CHECK_EGRESS' | 'EGRESS_ALLOW'>,
  changed?: readonly string[],
): Promise<void> {
  for (const { path, host } of checkTypeOf(check.check_type).hosts(check)) {
    if (changed && !changed.includes(path.split('.')[0]!)) continue;
    const verdict = allowHost(host, settings.CHECK_EGRESS, settings.EGRESS_ALLOW);
    if (!verdict.ok) throw invalid(path, verdict.reason);
  }
  if (changed && !changed.includes('config')) return;
  const { assertions = [] } = check.config as { assertions?: Assertion[] };
  const wrong = await wrongExpressions(assertions);
  if (wrong.length === 0) return;
  throw refusal(wrong.map(({ at, problem }) => ({ path: `config.assertions.${at}.value`, message: problem })));
}
