import * as z from 'zod';
import { type Assertion, assertionList } from '#lib/checks/assertions/assertion.ts';
import type { ExpressionInput } from '#lib/checks/assertions/expressions.ts';
import { ASSERTION_ERRORS, type AssertionErrorKind, type SourceName } from '#lib/checks/assertions/sources.ts';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import type { ProbeOutcome } from '#lib/checks/outcome.ts';
import type { Net, NetErrorKind } from '#lib/net/net.ts';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import { lazy } from '#lib/platform/lazy.ts';
import type { TenantCpu } from '#lib/platform/sharing/cpu-budget.ts';
import type { Settings } from '#lib/settings.ts';

export const COMMON_ERRORS = {
  ...ASSERTION_ERRORS,
  connect: 'no connection',
  timeout: 'no response within the timeout',
  redirect: 'too many redirects, or an invalid one',
  egress: 'connections to the address are not allowed',
  protocol: 'unexpected response, step or message',
  missed_heartbeat: 'missed heartbeat',
  overrun: 'job run not finished in time',
  reported: 'failure reported by the job',
} satisfies Record<
  NetErrorKind | AssertionErrorKind | 'protocol' | 'missed_heartbeat' | 'overrun' | 'reported',
  string
>;
type CommonKind = keyof typeof COMMON_ERRORS;

/**
 * Input of a probe. `timeout_ms` covers all steps. `now`: start (epoch ms). `cpu`: for expressions and large documents,
 * within the CPU budget of the account. `withDetails`: for a settings test. `waitForMemory`: see net.ts.
 */
export type ProbeInput = {
  net: Net;
  settings: Settings;
  timeout_ms: number;
  now: number;
  cpu: TenantCpu;
  withDetails?: boolean;
  waitForMemory?: () => Promise<void>;
};

type SettingHost = { path: string; host: string; port?: number | undefined };

export type SettingsWith<Config> = { config: Config & { assertions?: Assertion[] | undefined } };

export type CheckType<Name extends string = string, Kind extends string = string> = {
  type: Name;
  mode: 'pull' | 'push';
  title: string;
  about: string;
  /** Minimum and default interval in seconds. If omitted, 1 and 60; higher for targets with low rate limits. */
  interval: { minimum: number; default: number };
  /** The `config` object, strict so that a typo is an error. `assertions` are added for all types. */
  config: z.ZodObject;
  sources: readonly SourceName[];
  /** Settings outside `config`, at the top level of the record (http has target_url, method, …). */
  fields: z.ZodObject;
  /** Optional properties of results in addition to the common ones (tls has days_left). No secrets. */
  result: z.ZodObject;
  /** Optional properties of a probe in a settings test, in addition to `result`. */
  shown: z.ZodObject;
  errors: Readonly<Partial<Record<Kind, string>>>;
  /** Paths of values shown as ******** to a read-only key. A path has no list index: `config.steps.send`. */
  secrets: readonly string[];
  /** Paths of URLs, shown to a read-only key without query, fragment and user info. */
  urls: readonly string[];
  /** Returns errors for settings that are each valid but contradict each other. */
  contradictions(settings: Pick<CheckSettings, 'config'>): ErrorDetail[];
  expressions(settings: Pick<CheckSettings, 'config'>): ExpressionInput[];
  /**
   * Derives omitted settings from `config` at `now` (epoch ms). `before`: config that it replaces; without it, defaults
   * apply. Throws VALIDATION_ERROR.
   */
  derived(config: CheckSettings['config'], now: number, before?: CheckSettings['config']): Partial<CheckSettings>;
  /** Returns the hosts in the settings, for the egress guard, which rejects disallowed IP addresses. */
  hosts(settings: Pick<CheckSettings, 'config'>): SettingHost[];
  /** Returns a short label of the target without secrets, for messages: `GET https://example.com/health`. */
  targetLabel(settings: Pick<CheckSettings, 'config'>): string;
  /** Loads the probe code on first use, because not every function probes. Only pull types have it. */
  probe?: () => Promise<(settings: Pick<CheckSettings, 'config'>, input: ProbeInput) => Promise<ProbeOutcome<Kind>>>;
  /** Whether an additional probe has no effect on the target and costs little. */
  isHarmless(settings: Pick<CheckSettings, 'config'>): boolean;
  /** Records for a test: valid ones must pass, invalid ones fail at `path`. The first valid one is documented. */
  examples: { valid: [object, ...object[]]; invalid: { value: object; path: string }[] };
};

type Definition<
  Name extends string,
  Config extends z.ZodObject,
  Fields extends z.ZodObject,
  Result extends z.ZodObject,
  Shown extends z.ZodObject,
  Kind extends string,
> = Pick<CheckType<Name>, 'type' | 'mode' | 'title' | 'about' | 'sources' | 'examples'> &
  Partial<Pick<CheckType, 'interval' | 'secrets' | 'urls'>> & {
    config: Config;
    fields?: Fields;
    result?: Result;
    shown?: Shown;
    errors?: Record<Kind, string>;
    contradictions?: (settings: Stored<Config, Fields>) => ErrorDetail[];
    expressions?: (settings: Stored<Config, Fields>) => ExpressionInput[];
    derived?(config: z.output<Config>, now: number, before?: z.output<Config>): Partial<CheckSettings>;
    hosts(settings: Stored<Config, Fields>): SettingHost[];
    targetLabel(settings: Stored<Config, Fields>): string;
    isHarmless?: (settings: Stored<Config, Fields>) => boolean;
    probe?: () => Promise<
      (
        settings: Stored<Config, Fields>,
        input: ProbeInput,
      ) => Promise<
        ProbeOutcome<CommonKind | NoInfer<Kind>> &
          Partial<z.output<NoInfer<Result>>> &
          Partial<z.output<NoInfer<Shown>>>
      >
    >;
  };

type Stored<Config extends z.ZodObject, Fields extends z.ZodObject> = z.output<Fields> & SettingsWith<z.output<Config>>;

/** Creates a registry entry. Its cast relies on stored settings being valid for their type. */
export const defineCheck = <
  const Name extends string,
  Config extends z.ZodObject,
  Fields extends z.ZodObject = z.ZodObject,
  Result extends z.ZodObject = z.ZodObject,
  Shown extends z.ZodObject = z.ZodObject,
  Kind extends string = never,
>(
  type: Definition<Name, Config, Fields, Result, Shown, Kind>,
): CheckType<Name, CommonKind | Kind> => {
  const [result, shown] = [type.result, type.shown].map((schema) => schema?.partial() ?? z.object());
  const assertions = assertionList(type.type, type.sources).describe(
    `Conditions on ${type.mode === 'push' ? 'the body and run time of a success ping' : 'the response'}, each evaluated independently, in this order. Up to 20. Severity fail or warn.`,
  );
  const config = type.config.safeExtend({ assertions: assertions.optional() });
  const interval = { minimum: 1, default: 60 };
  const defaults = {
    interval,
    fields: z.object(),
    errors: {},
    secrets: [],
    urls: [],
    contradictions: () => [],
    expressions: () => [],
    derived: () => ({}),
    isHarmless: () => false,
  };
  const probe = type.probe && lazy(type.probe);
  const definition = { ...defaults, ...type, config, result, shown, ...(probe && { probe }) };
  return definition as unknown as CheckType<Name, CommonKind | Kind>;
};
