import * as z from 'zod';
import { type Assertion, assertionList } from '#lib/checks/assertions/assertion.ts';
import type { Written } from '#lib/checks/assertions/expressions.ts';
import { ASSERTION_ERRORS, type AssertionErrorKind, type SourceName } from '#lib/checks/assertions/sources.ts';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import type { ProbeOutcome } from '#lib/checks/outcome.ts';
import type { Net, NetErrorKind } from '#lib/net/net.ts';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import { lazy } from '#lib/platform/lazy.ts';
import type { Settings } from '#lib/settings.ts';

/** The kinds of error that checks of several types may have, and what each means. A type adds its own. */
export const COMMON_ERRORS = {
  ...ASSERTION_ERRORS,
  connect: 'no connection',
  timeout: 'no answer in time',
  redirect: 'too many, or a wrong one',
  egress: 'the address may not be reached from here',
  protocol: 'an answer, a step or a message is not what was expected',
  missed_heartbeat: 'a push check was silent past its grace',
  overrun: 'a run of a push check has started and did not finish in time',
  reported: 'your agent said so',
} satisfies Record<NetErrorKind | AssertionErrorKind | 'protocol' | 'missed_heartbeat' | 'overrun' | 'reported', string>;
type CommonKind = keyof typeof COMMON_ERRORS;

/**
 * What a probe may use. `timeout_ms` is for everything together; `now` (epoch ms) is when the probe begins. `shows`:
 * somebody tries the settings, and wants to see what the target said; it never changes what the probe finds. `room`: as
 * a request takes it (lib/net/net.ts).
 */
export type ProbeInput = {
  net: Net;
  settings: Settings;
  timeout_ms: number;
  now: number;
  shows?: boolean;
  room?: () => Promise<void>;
};

/** A host that a check connects to, with its port where one is set, and the path of the setting that names it. */
type SettingHost = { path: string; host: string; port?: number | undefined };

/** Settings of a check whose type has that `config`, with what every type has in it. */
export type Settled<Config> = { config: Config & { assertions?: Assertion[] | undefined } };

/** One kind of check: all that the rest of the service needs to know of it. */
export type CheckType<Name extends string = string, Kind extends string = string> = {
  type: Name;
  mode: 'pull' | 'push';
  /** What it is called where types are listed: `HTTP request`. */
  title: string;
  /** What it does and when it succeeds, in a sentence or two, for the documents. */
  about: string;
  /** In seconds, where its target bears no more. Else 1 to a day, and 60. */
  interval: { least: number; default: number };
  /** The `config` object; strict, so that a typo there never passes silently. Every type has `assertions` there. */
  config: z.ZodObject;
  /** What its assertions may be about. */
  sources: readonly SourceName[];
  /** Settings of this type beside `config`, at the top level of the record (http has target_url, method, …). */
  fields: z.ZodObject;
  /** Members, all optional, that its results may have beside those of every result (tls has days_left). No secrets. */
  result: z.ZodObject;
  /** Members, all optional, that a probe which shows what the target said has beside those. */
  shown: z.ZodObject;
  /** Kinds of error of this type alone, and what each means. */
  errors: Readonly<Partial<Record<Kind, string>>>;
  /** Paths below the record that a read-only key sees as ********; through lists: `config.steps.send`. */
  secrets: readonly string[];
  /** Paths of URLs, each of which a read-only key sees without its query, fragment and user info. */
  urls: readonly string[];
  /** Settings that fit their schemas, and not each other: each place with what it must be. */
  contradictions(settings: Pick<CheckSettings, 'config'>): ErrorDetail[];
  /** RE2 expressions in its settings, beside those of assertions. */
  expressions(settings: Pick<CheckSettings, 'config'>): Written[];
  /**
   * Settings that follow from `config` at `now` (epoch ms), for those that a request does not supply; `before` is the
   * `config` that a change replaces. Throws VALIDATION_ERROR for what can never come true.
   */
  derived(config: CheckSettings['config'], now: number, before?: CheckSettings['config']): Partial<CheckSettings>;
  /** Hosts the settings name, for the egress guard at create: a private literal is refused there. */
  hosts(settings: Pick<CheckSettings, 'config'>): SettingHost[];
  /** The target in a few words, for messages to people: `GET https://example.com/health`. Holds no secret. */
  targetLabel(settings: Pick<CheckSettings, 'config'>): string;
  /** Loads how it is probed, when it first is: a function that probes nothing does without. Pull types have it. */
  probe?: () => Promise<(settings: Pick<CheckSettings, 'config'>, input: ProbeInput) => Promise<ProbeOutcome<Kind>>>;
  /** Whether one probe more, beside those that its owner asked for, changes nothing at the target and costs little. */
  isHarmless(settings: Pick<CheckSettings, 'config'>): boolean;
  /** Records that a test parses: each valid one must pass, every invalid one fail at `path`. The first one is shown. */
  examples: { valid: [object, ...object[]]; invalid: { value: object; path: string }[] };
};

/** A type as its file states it, typed by its own schemas. What it has none of is left out. */
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
    expressions?: (settings: Stored<Config, Fields>) => Written[];
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

/** Settings as the schemas of a type leave them. */
type Stored<Config extends z.ZodObject, Fields extends z.ZodObject> = z.output<Fields> & Settled<z.output<Config>>;

/**
 * Makes one entry of the registry. Stored settings have passed the schemas of their type, so its functions may rely on
 * them; this is the one place where that is taken on trust.
 */
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
  const config = type.config.safeExtend({ assertions: assertionList(type.type, type.sources).optional() });
  const interval = { least: 1, default: 60 };
  const none = {
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
  const whole = { ...none, ...type, config, result, shown, ...(probe && { probe }) };
  return whole as unknown as CheckType<Name, CommonKind | Kind>;
};
