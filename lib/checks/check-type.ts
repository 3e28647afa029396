import type * as z from 'zod';
import type { Net } from '#lib/platform/net/net.ts';
import type { Settings } from '#lib/platform/settings.ts';
import type { CheckItem } from './check-item.ts';

export const ERROR_KINDS = [
  'dns',
  'connect',
  'timeout',
  'tls',
  'status',
  'body',
  'redirect',
  'egress',
  'silence',
  'reported',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** What one probe found. A probe returns it, whatever the target did; it throws only on a fault of ours. */
export type ProbeOutcome = {
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
  /** No answer came in time, or the connection was closed, so that a standstill of our own may be to blame. */
  interrupted?: boolean;
};

/** What a probe may use. `timeout_ms` is for everything together; `now` (epoch ms) is when the probe begins. */
export type ProbeInput = { net: Net; settings: Settings; timeout_ms: number; now: number };

/** The settings part of a check. */
export type CheckSettings = Pick<
  CheckItem,
  'check_type' | 'target_url' | 'method' | 'expected_status' | 'body_contains' | 'config'
>;

/** A host that a check connects to, and the path of the setting that names it. */
type SettingHost = { path: string; host: string };

/** One kind of check: all that the rest of the service needs to know of it. */
export type CheckType<Name extends string = string> = {
  type: Name;
  mode: 'pull' | 'push';
  /** What it is called where types are listed: `HTTP request`. */
  title: string;
  /** What it does and when it succeeds, in a sentence or two, for the documents. */
  about: string;
  /** Members of this type at the top level of the record (http has target_url, method, …), as in a create request. */
  fields: z.ZodObject;
  /** The `config` object; strict, so that a typo there never passes silently. */
  config: z.ZodObject;
  /** Hosts the settings name, for the egress guard at create: a private literal is refused there. */
  hosts(settings: CheckSettings): SettingHost[];
  /** The target in a few words, for messages to people: `GET https://example.com/health`. Holds no secret. */
  targetLabel(settings: CheckSettings): string;
  /** Paths below the record that a read-only key sees as ********. */
  secrets: readonly string[];
  probe?: (check: CheckItem, world: ProbeInput) => Promise<ProbeOutcome>;
  /** Records that a test parses: each valid one must pass, every invalid one fail at `path`. The first one is shown. */
  examples: { valid: [object, ...object[]]; invalid: { value: object; path: string }[] };
};

/** Settings as the schemas of a type leave them. */
type Parsed<F extends z.ZodObject, C extends z.ZodObject> = Omit<CheckSettings, keyof z.output<F> | 'config'> &
  z.output<F> & { config: z.output<C> };

type Definition<Name extends string, F extends z.ZodObject, C extends z.ZodObject> = Omit<
  CheckType<Name>,
  'fields' | 'config' | 'hosts' | 'targetLabel' | 'probe'
> & {
  fields: F;
  config: C;
  hosts(settings: Parsed<F, C>): SettingHost[];
  targetLabel(settings: Parsed<F, C>): string;
  probe?: (check: Parsed<F, C>, world: ProbeInput) => Promise<ProbeOutcome>;
};

/**
 * Types one file of the registry by its own schemas. Stored settings have passed them, so the functions of a type may
 * rely on them; this is the one place where that is taken on trust.
 */
export const defineCheck = <const Name extends string, F extends z.ZodObject, C extends z.ZodObject>(
  type: Definition<Name, F, C>,
): CheckType<Name> => type as unknown as CheckType<Name>;
