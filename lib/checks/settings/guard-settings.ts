import { type Limits, settingsFor } from '#lib/access/account.ts';
import type { TenantScope } from '#lib/access/context.ts';
import { type CheckLoad, millionthsPerMinute, NO_LOAD } from '#lib/catalog/check-count.ts';
import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { type ExpressionInput, expressionsIn, invalidExpression } from '#lib/checks/assertions/expressions.ts';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import { checkTypeOf } from '#lib/checks/types/registry.ts';
import type { Ports } from '#lib/env.ts';
import { allowHost } from '#lib/net/egress.ts';
import { invalid } from '#lib/platform/errors.ts';
import { refusal } from '#lib/platform/http/validation.ts';

/** Account whose egress policy and CPU budget apply. */
type Guarded = Pick<TenantScope, 'tenant'> & { ports: Pick<Ports, 'settings' | 'cpu'>; caller: Pick<Limits, 'egress'> };

/**
 * Validates what the schemas cannot: rejects literal hosts that checks must not reach, blocked ports, and invalid RE2
 * expressions. Names are resolved and checked at each probe. Throws VALIDATION_ERROR at the setting (`target_url`,
 * `config.host`, …), or at the first invalid expression. Throws CpuLimitError.
 * @param changed properties to validate; all if omitted
 */
export async function guardSettings(
  check: Pick<CheckSettings, 'check_type' | 'config'>,
  { ports, tenant, caller }: Guarded,
  changed?: readonly string[],
): Promise<void> {
  const settings = settingsFor(ports.settings, caller);
  for (const { path, host, port } of checkTypeOf(check.check_type).hosts(check)) {
    if (changed && !changed.includes(path.split('.')[0]!)) continue;
    const decision = allowHost(host, settings.CHECK_EGRESS, settings.EGRESS_ALLOW);
    if (!decision.ok) throw invalid(path, decision.reason);
    if (port === 25 && settings.SMTP_EGRESS === 'closed') {
      const at = path === 'config.host' ? 'config.port' : path;
      throw invalid(at, 'the network of the service blocks port 25 (SMTP_EGRESS); use 587 or 465');
    }
  }
  if (changed && !changed.includes('config')) return;
  const error = await invalidExpression(ports.cpu.of(tenant), expressionsOf(check));
  if (error) throw refusal([error]);
}

function expressionsOf(check: Pick<CheckSettings, 'check_type' | 'config'>): ExpressionInput[] {
  const { assertions = [] }: { assertions?: Assertion[] } = check.config;
  return [...checkTypeOf(check.check_type).expressions(check), ...expressionsIn(assertions)];
}

/** Returns the load of a check on its account: none if it is disabled; without probes if it is a push check. */
export function loadOfCheck(check: Pick<CheckSettings, LoadSettings>): CheckLoad {
  if (!check.enabled) return NO_LOAD;
  const runs = millionthsPerMinute(check.interval_seconds);
  return { probes: check.execution_mode === 'pull' ? runs : 0, expressions: runs * expressionsOf(check).length };
}
type LoadSettings = 'enabled' | 'execution_mode' | 'interval_seconds' | 'check_type' | 'config';
