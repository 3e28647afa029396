import type * as z from 'zod';
import type { Net } from '#lib/platform/net.ts';
import type { Settings } from '#lib/platform/settings.ts';
import type { CheckItem } from './check-item.ts';

export type ErrorKind =
  | 'dns'
  | 'connect'
  | 'timeout'
  | 'tls'
  | 'status'
  | 'body'
  | 'redirect'
  | 'egress'
  | 'silence'
  | 'reported';

/** What one probe found. A probe returns it, whatever the target did; it throws only on a fault of ours. */
export type Outcome = {
  success: boolean;
  /** 0 without an HTTP response. */
  status_code: number;
  latency_ms: number;
  /** Empty when none. At most 500 characters; says what was wrong and what to do. */
  error_message: string;
  error_kind: ErrorKind | null;
  /** tls: whole days until the certificate expires. */
  days_left?: number;
  /** The target did not answer at all, so that our own network may be to blame. */
  unanswered?: boolean;
};

/** What a probe may use. `timeout_ms` is for everything together. */
export type ProbeWorld = { net: Net; settings: Settings; timeout_ms: number };

/** The settings a type has beside the common ones, as zod schemas of a create request. */
export type CheckType<Name extends string = string> = {
  type: Name;
  mode: 'pull' | 'push';
  /** Type-specific members at the top level of the record (http has target_url, method, …). */
  fields: z.ZodObject;
  /** The `config` object; strict, so that a typo there never passes silently. */
  config: z.ZodObject;
  /** Hosts the settings name, for the egress guard at create: a private literal is refused there. */
  hosts(settings: CheckSettings): string[];
  /** Paths below the record that a read-only key sees as ********. */
  secrets: readonly string[];
  probe?: (check: CheckItem, world: ProbeWorld) => Promise<Outcome>;
  /** Records that a test parses: every valid one must pass, every invalid one fail at `path`. */
  examples: { valid: object[]; invalid: { value: object; path: string }[] };
};

/** The settings part of a check. */
export type CheckSettings = Pick<
  CheckItem,
  'check_type' | 'target_url' | 'method' | 'expected_status' | 'body_contains' | 'config'
>;

/** Types one file of the registry. */
export const defineCheck = <const Name extends string>(type: CheckType<Name>): CheckType<Name> => type;
