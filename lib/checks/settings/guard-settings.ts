import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { expressionsIn, wrongExpressions } from '#lib/checks/assertions/expressions.ts';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import { checkTypeOf } from '#lib/checks/types/registry.ts';
import { allowHost } from '#lib/net/egress.ts';
import { invalid } from '#lib/platform/errors.ts';
import { refusal } from '#lib/platform/http/validation.ts';
import type { Settings } from '#lib/settings.ts';

/**
 * Refuses what no schema can: settings that name, as a literal, a host which checks may not reach, or a port that
 * nobody gets out to, and expressions that RE2 does not know. Names are looked up, and their addresses allowed or
 * refused, at each probe. Throws VALIDATION_ERROR at the setting (`target_url`, `config.host`, …).
 * @param changed only these members are looked at; all of them without it
 */
export async function guardSettings(
  check: Pick<CheckSettings, 'check_type' | 'config'>,
  settings: Pick<Settings, 'CHECK_EGRESS' | 'EGRESS_ALLOW' | 'SMTP_EGRESS'>,
  changed?: readonly string[],
): Promise<void> {
  for (const { path, host, port } of checkTypeOf(check.check_type).hosts(check)) {
    if (changed && !changed.includes(path.split('.')[0]!)) continue;
    const verdict = allowHost(host, settings.CHECK_EGRESS, settings.EGRESS_ALLOW);
    if (!verdict.ok) throw invalid(path, verdict.reason);
    if (port === 25 && settings.SMTP_EGRESS === 'closed') {
      throw invalid(
        path === 'config.host' ? 'config.port' : path,
        'AWS lets no function reach port 25; use 587 or 465',
      );
    }
  }
  if (changed && !changed.includes('config')) return;
  const { assertions = [] }: { assertions?: Assertion[] } = check.config;
  const own = checkTypeOf(check.check_type).expressions(check);
  const wrong = await wrongExpressions([...own, ...expressionsIn(assertions)]);
  if (wrong.length > 0) throw refusal(wrong);
}
