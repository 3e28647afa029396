import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { expressionsIn, invalidExpressions } from '#lib/checks/assertions/expressions.ts';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import { checkTypeOf } from '#lib/checks/types/registry.ts';
import { allowHost } from '#lib/net/egress.ts';
import { invalid } from '#lib/platform/errors.ts';
import { refusal } from '#lib/platform/http/validation.ts';
import type { Settings } from '#lib/settings.ts';

/**
 * Validates beyond the schemas: literal hosts that checks must not reach, ports that are blocked, and invalid RE2
 * expressions. Names are resolved and checked at each probe. Throws VALIDATION_ERROR at the setting (`target_url`,
 * `config.host`, …).
 * @param changed properties to validate; all if omitted
 */
export async function guardSettings(
  check: Pick<CheckSettings, 'check_type' | 'config'>,
  settings: Pick<Settings, 'CHECK_EGRESS' | 'EGRESS_ALLOW' | 'SMTP_EGRESS'>,
  changed?: readonly string[],
): Promise<void> {
  for (const { path, host, port } of checkTypeOf(check.check_type).hosts(check)) {
    if (changed && !changed.includes(path.split('.')[0]!)) continue;
    const decision = allowHost(host, settings.CHECK_EGRESS, settings.EGRESS_ALLOW);
    if (!decision.ok) throw invalid(path, decision.reason);
    if (port === 25 && settings.SMTP_EGRESS === 'closed') {
      throw invalid(path === 'config.host' ? 'config.port' : path, 'AWS blocks port 25 for functions; use 587 or 465');
    }
  }
  if (changed && !changed.includes('config')) return;
  const { assertions = [] }: { assertions?: Assertion[] } = check.config;
  const ofType = checkTypeOf(check.check_type).expressions(check);
  const invalidOnes = await invalidExpressions([...ofType, ...expressionsIn(assertions)]);
  if (invalidOnes.length > 0) throw refusal(invalidOnes);
}
