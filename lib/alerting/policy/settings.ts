import * as z from 'zod';
import { namesOf } from '#lib/platform/plain-data.ts';

/** A setting of a policy. Everything else that names it is derived from this value. */
type Setting<Schema extends z.ZodType = z.ZodType> = {
  schema: Schema;
  default: z.output<Schema>;
  title: string;
  /** Description without the default. */
  means: string;
  /** Stored with each decision, because rules read it. */
  decides?: true;
  /** Folded group of the form; absent: always visible. */
  group?: string;
};

const setting = <Schema extends z.ZodType, const More extends Omit<Setting<Schema>, 'schema'>>(
  schema: Schema,
  more: More,
): { schema: Schema } & More => ({ schema, ...more });

const WEEK_SECONDS = 604_800;
const MAX_STEPS = 5;
const MAX_CHANNELS_OF_STEP = 10;
const MAX_ROTAS_OF_STEP = 5;

const seconds = () =>
  z
    .number()
    .int('must be a whole number of seconds')
    .min(0, 'must be 0 or more')
    .max(WEEK_SECONDS, `must be at most ${WEEK_SECONDS} (a week)`);

const FlapThreshold = z
  .number()
  .refine(
    (count) => count === 0 || (Number.isInteger(count) && count >= 3 && count <= 20),
    'must be 0, or a whole number from 3 to 20',
  )
  .meta({ type: 'integer', minimum: 0, maximum: 20 });

const EscalationStep = z.object({
  after_seconds: z
    .int('must be a whole number of seconds')
    .min(1, 'must be at least 1')
    .max(WEEK_SECONDS, `must be at most ${WEEK_SECONDS} (a week)`)
    .describe('Time after the first alert of a failure; longer than in the step before.'),
  channel_ids: z
    .array(z.string())
    .max(MAX_CHANNELS_OF_STEP, `must name at most ${MAX_CHANNELS_OF_STEP} channels`)
    .meta({
      title: 'Channels',
      description: 'Channels of the check or the account to notify; can be empty if rota_ids names a rota.',
    }),
  rota_ids: z
    .array(z.string())
    .max(MAX_ROTAS_OF_STEP, `must name at most ${MAX_ROTAS_OF_STEP} rotas`)
    .meta({ title: 'Rotas', description: 'Rotas: the channels of the person on call at that time are notified.' })
    .exactOptional(),
});
export type EscalationStep = z.output<typeof EscalationStep>;

/** Steps in ascending order of time; each channel is in at most one of them. */
const Escalation = z
  .array(EscalationStep)
  .max(MAX_STEPS, `must have at most ${MAX_STEPS} steps`)
  .superRefine((steps, context) => {
    const wrong = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    const named = new Map<string, number>();
    for (const [i, { after_seconds, channel_ids, rota_ids = [] }] of steps.entries()) {
      if (channel_ids.length + rota_ids.length === 0)
        wrong([i, 'channel_ids'], 'must name at least one channel, unless rota_ids names a rota');
      const before = steps[i - 1]?.after_seconds;
      if (before !== undefined && after_seconds <= before)
        wrong(
          [i, 'after_seconds'],
          `must be more than the ${before} of the step before; put the steps in order of time`,
        );
      for (const [j, id] of channel_ids.entries()) {
        const first = named.get(id);
        if (first !== undefined)
          wrong([i, 'channel_ids', j], `is in step ${first + 1} already; a channel can be in only one step`);
        named.set(id, first ?? i);
      }
    }
  });

/** Settings of a policy, of a check or the account default, in display order. */
export const SETTINGS = {
  cooldown_seconds: setting(seconds(), {
    default: 300,
    title: 'Cooldown',
    means: 'Minimum time between alerts of the check. 0 disables the cooldown.',
    decides: true,
  }),
  cooldown_on_recovery: setting(z.boolean(), {
    default: true,
    title: 'Cooldown on recovery',
    means:
      'Whether the cooldown delays the recovery from a reported failure. If false, that recovery is sent at once and starts no cooldown.',
    decides: true,
  }),
  notify_on_recovery: setting(z.boolean(), {
    default: true,
    title: 'Notify on recovery',
    means: 'Whether to alert when the check recovers.',
    decides: true,
  }),
  notify_on_degraded: setting(z.boolean(), {
    default: true,
    title: 'Notify on degraded',
    means: 'Whether to alert on changes between up and degraded. If false, degraded counts as up.',
    decides: true,
  }),
  repeat_interval_seconds: setting(seconds(), {
    default: 0,
    title: 'Reminder interval',
    means: 'Time between reminders while the check is down. 0 disables reminders.',
    decides: true,
  }),
  late_alerts: setting(z.boolean(), {
    default: true,
    title: 'Late alerts',
    means:
      'Whether to send a late alert when a suppression ends, if no alert has reported the state or the failure of the check.',
    decides: true,
    group: 'Details',
  }),
  flap_threshold: setting(FlapThreshold, {
    default: 0,
    title: 'Flap threshold',
    means:
      'Number of state changes within the flap window that count as flapping, 3–20; 0 disables the detection. One alert reports flapping; further alerts are suppressed until the check has kept one state for a quarter of the flap window.',
    decides: true,
    group: 'Flapping',
  }),
  flap_window_seconds: setting(z.int().min(60).max(86_400), {
    default: 3600,
    title: 'Flap window',
    means: 'Time range in which state changes count together.',
    group: 'Flapping',
  }),
  hold_for_dependencies: setting(z.boolean(), {
    default: true,
    title: 'Check dependencies first',
    means: 'Whether to hold an alert for down until it is known whether an upstream failure caused it.',
    decides: true,
    group: 'Details',
  }),
  impact_update: setting(z.boolean(), {
    default: true,
    title: 'Impact update',
    means: 'Whether to send one update, a minute after the alert, if more entities fail than it reported.',
    group: 'Details',
  }),
  escalation: setting(Escalation, {
    default: [],
    title: 'Escalation',
    means:
      'Channels to notify while a failure is neither acknowledged nor resolved, up to 5 steps. A channel in a step or its rotas is not notified before that step.',
  }),
} as const satisfies Record<string, Setting>;

type Settings = typeof SETTINGS;
type Name = keyof Settings;
type Deciding = { [N in Name]: Settings[N] extends { decides: true } ? N : never }[Name];

export type PolicySettings = { [N in Name]: z.output<Settings[N]['schema']> };

/** The part of a policy that rules read, and that is stored with each decision. */
export type PolicyInForce = Pick<PolicySettings, Deciding> & { silenced: boolean };

export const POLICY_NAMES = namesOf(SETTINGS);

/** Makes an object with a property for each setting. The caller states the types. */
const each = <Members extends Record<Name, unknown>>(of: (name: Name) => unknown): Members =>
  Object.fromEntries(POLICY_NAMES.map((name) => [name, of(name)])) as Members;

/** Values that apply if neither the check nor the account sets another (docs/use/alerts.md#policies). */
export const POLICY_DEFAULTS = each<PolicySettings>((name) => SETTINGS[name].default);

const isDeciding = (name: Name): name is Deciding => 'decides' in SETTINGS[name];
const DECIDING = POLICY_NAMES.filter(isDeciding);

export const inForce = (policy: PolicyInForce): PolicyInForce => {
  const settings = Object.fromEntries(DECIDING.map((name) => [name, policy[name]])) as Pick<PolicySettings, Deciding>;
  return { silenced: policy.silenced, ...settings };
};

const describe = (name: Name): string => {
  const { means, default: value }: Setting = SETTINGS[name];
  return `${means} Default: ${String(value) || 'none'}.`;
};

export const settingMembers = each<{ [N in Name]: Settings[N]['schema'] }>((name) => {
  const { schema, title, default: value, group }: Setting = SETTINGS[name];
  return schema.meta({ title, description: describe(name), default: value, ...(group && { 'x-group': group }) });
});

export const settingChanges = each<{ [N in Name]: z.ZodExactOptional<z.ZodNullable<Settings[N]['schema']>> }>((name) =>
  settingMembers[name]
    .nullable()
    .describe(`${describe(name)} null restores the default.`)
    .exactOptional(),
);
