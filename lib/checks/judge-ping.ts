import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { judge } from '#lib/checks/assertions/judge.ts';
import type { AssertionErrorKind } from '#lib/checks/assertions/sources.ts';
import type { ProbeOutcome } from '#lib/checks/types/check-type.ts';
import { succeeded, withVerdict } from './outcome.ts';

/** A success that a job reports. */
type Ping = {
  /** As text; empty where it has none. */
  body: string;
  /** How many bytes of it were read, and whether there were more. */
  bytes: number;
  isCut: boolean;
  /** How long the run took; undefined where it was not measured: latency is not judged then. */
  latency_ms: number | undefined;
};

/** What a success comes to by the assertions of its push check: one that does not hold makes it a failure. */
export async function judgePing(
  assertions: readonly Assertion[] | undefined,
  { body: text, bytes, isCut, latency_ms }: Ping,
): Promise<ProbeOutcome<AssertionErrorKind>> {
  const facts = { body: { text, bytes, isCut, type: '' }, ...(latency_ms !== undefined && { latency_ms }) };
  return withVerdict(succeeded(latency_ms ?? 0), await judge(assertions, facts, false));
}
