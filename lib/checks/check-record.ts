import type { Context } from '#lib/access/context.ts';
import { redactPaths, redactUrl } from '#lib/access/redaction.ts';
import type { CheckItem } from './check-item.ts';
import { checkTypeOf } from './registry.ts';

/** The check on the wire; a read-only key sees its secrets as ********. */
export function checkRecord(check: CheckItem, caller: Pick<Context['caller'], 'is_read_only'>) {
  const { target_url, method, expected_status, body_contains } = check;
  const record = {
    id: check.id,
    entity_id: check.entity_id,
    name: check.name ?? null,
    check_type: check.check_type,
    execution_mode: check.execution_mode,
    ...(target_url !== undefined && { target_url, method, expected_status, body_contains }),
    interval_seconds: check.interval_seconds,
    timeout_ms: check.timeout_ms,
    failure_threshold: check.failure_threshold,
    enabled: check.enabled,
    config: check.config,
    state: check.state,
    state_since: check.state_since,
    consecutive_failures: check.consecutive_failures,
    created_at: check.created_at,
    updated_at: check.updated_at,
  };
  if (!caller.is_read_only) return record;
  const shown = redactPaths(record, checkTypeOf(check.check_type).secrets);
  return shown.target_url === undefined ? shown : { ...shown, target_url: redactUrl(shown.target_url) };
}
