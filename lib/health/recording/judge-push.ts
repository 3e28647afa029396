import type { ProbeOutcome } from '#lib/checks/types/check-type.ts';
import type { ErrorKind } from '#lib/checks/types/registry.ts';
import { type ResultItem, withLatency } from '#lib/results/result.ts';

/** What a success comes to by the assertions of its check. @param latency_ms undefined: it was not measured */
export type JudgePush = (latency_ms: number | undefined) => Promise<ProbeOutcome<ErrorKind>>;

/** A result as the assertions of its check leave it. @param judge absent where there is nothing to judge */
export async function judgedPush(
  result: ResultItem,
  judge: JudgePush | undefined,
  latency_ms?: number,
): Promise<ResultItem> {
  if (!judge) return result;
  const { success, error_kind, error_message, warning_message } = await judge(latency_ms);
  const { warning_message: _before, ...rest } = result;
  const filled = (text: string) => withLatency(text, { latency_ms: latency_ms ?? 0 });
  return {
    ...rest,
    success,
    error_kind,
    error_message: filled(error_message),
    ...(warning_message && { warning_message: filled(warning_message) }),
  };
}
