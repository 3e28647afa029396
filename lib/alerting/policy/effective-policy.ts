import type { EntityItem } from '#lib/catalog/entity.ts';
import { isSilencedAt, type SilenceSettings } from '#lib/catalog/silence-settings.ts';
import type { CheckItem, NotifiedAlert } from '#lib/checks/check-item.ts';
import type { AccountAlerting, AccountChannel } from './account-alerting.ts';
import type { AlertChannel, Policy, PolicyItem, Silence } from './policy.ts';
import { type Selectable, selects } from './selector.ts';
import { type EscalationStep, POLICY_DEFAULTS, POLICY_NAMES, type PolicySettings } from './settings.ts';
import { openWindow } from './windows.ts';

/** Which step names a channel, from 0. */
const stepOf = (escalation: readonly EscalationStep[], id: string): number | undefined => {
  const step = escalation.findIndex(({ channel_ids }) => channel_ids.includes(id));
  return step < 0 ? undefined : step;
};

/**
 * Whether a channel hears an alert that says this: one that a step names hears of trouble once that was taken, and of
 * the recovery wherever it was told of trouble.
 */
function isEligible(
  id: string,
  { escalation }: Pick<Policy, 'escalation'>,
  { episode, escalated = [] }: Pick<CheckItem['alerts'], 'episode' | 'escalated'>,
  reports_state: NotifiedAlert['reports_state'],
): boolean {
  const step = stepOf(escalation, id);
  if (step === undefined) return true;
  return reports_state === 'up' ? escalated.includes(id) : step < (episode?.escalation?.steps ?? 0);
}

type About = {
  check: Selectable['check'];
  entity: Pick<EntityItem, 'id' | 'blueprint_slug' | 'labels' | keyof SilenceSettings>;
  account: AccountAlerting;
  /** Epoch ms. */
  now: number;
};

/** The settings of a policy that count: what was set on the check, else on the account, else the defaults. */
export function effectiveSettings(
  stored: Partial<PolicySettings> | undefined,
  account: Pick<AccountAlerting, 'policy'>,
): PolicySettings {
  const settings: Record<string, unknown> = { ...POLICY_DEFAULTS, ...account.policy };
  for (const name of POLICY_NAMES) if (stored?.[name] !== undefined) settings[name] = stored[name];
  return settings as PolicySettings;
}

/** The settings that a check does not set itself. */
export const inheritedOf = (stored: Partial<PolicySettings> | undefined): (keyof PolicySettings)[] =>
  POLICY_NAMES.filter((name) => stored?.[name] === undefined);

/** Pure: the policy of a check as it counts at a moment. */
export function effectivePolicy(stored: PolicyItem | undefined, about: About): Policy {
  const silence = silenceOf(stored, about);
  const { account, now, ...one } = about;
  const window = openWindow(account.windows, one, now);
  return {
    ...effectiveSettings(stored, about.account),
    silenced: silence !== undefined,
    ...(silence && { silence }),
    ...(window && { window }),
    channels: [
      ...(stored?.channels ?? []).map((channel): AlertChannel => ({ ...channel, scope: 'check' })),
      ...accountChannels(about).map(
        ({ applies_to, ...channel }): AlertChannel => ({
          ...channel,
          scope: 'account',
          ...(applies_to?.states && { states: applies_to.states }),
        }),
      ),
    ],
  };
}

/** The channels of the account that apply to a check. */
export const accountChannels = ({ account, ...one }: Selectable & Pick<About, 'account'>): AccountChannel[] =>
  account.channels.filter(({ enabled, applies_to }) => enabled && selects(applies_to, one));

/**
 * Pure: those of a policy's channels that an alert goes to which says this; the same address once, the check's own
 * first. What a step of the escalation names waits for it.
 */
export function recipientsFor(
  policy: Pick<Policy, 'channels' | 'escalation'>,
  reports_state: NotifiedAlert['reports_state'],
  alerts: Pick<CheckItem['alerts'], 'episode' | 'escalated'>,
): AlertChannel[] {
  return listeners(policy, reports_state, ({ id }) => isEligible(id, policy, alerts, reports_state));
}

/** Pure: the channels that a step of the escalation calls, from 0. */
export const channelsOfStep = (policy: Pick<Policy, 'channels' | 'escalation'>, step: number): AlertChannel[] =>
  listeners(policy, 'down', ({ id }) => policy.escalation[step]?.channel_ids.includes(id) === true);

/** Pure: the channels that some step of the escalation calls. */
export const channelsOfSteps = ({ channels, escalation }: Pick<Policy, 'channels' | 'escalation'>): AlertChannel[] =>
  listeners({ channels }, 'down', ({ id }) => escalation.some(({ channel_ids }) => channel_ids.includes(id)));

function listeners(
  { channels }: Pick<Policy, 'channels'>,
  reports_state: NotifiedAlert['reports_state'],
  hears: (channel: AlertChannel) => boolean,
): AlertChannel[] {
  const told = new Set<string>();
  return channels.filter((channel) => {
    const { id, states, destination = id } = channel;
    if ((states && !states.includes(reports_state)) || told.has(destination) || !hears(channel)) return false;
    told.add(destination);
    return true;
  });
}

/** Every silence that holds of a check. */
export function silencesOf(stored: SilenceSettings | undefined, { check, entity, account, now }: About): Silence[] {
  const own = (by: 'check' | 'entity', id: string, one: SilenceSettings | undefined): Silence[] => {
    if (!one || !isSilencedAt(one, now)) return [];
    const { silenced_until: until, silence_reason: reason = '' } = one;
    return [{ by, id, ...(until !== undefined && { until: Date.parse(until) }), reason }];
  };
  return [
    ...own('check', check.id, stored),
    ...own('entity', entity.id, entity),
    ...account.silences
      .filter(({ until, applies_to }) => until > now && selects(applies_to, { check, entity }))
      .map(({ id, until, reason }): Silence => ({ by: 'account', id, until, reason })),
  ];
}

/** The silence that holds longest. */
const silenceOf = (stored: SilenceSettings | undefined, about: About): Silence | undefined =>
  silencesOf(stored, about).reduce<Silence | undefined>(
    (longest, one) => (longest && endOf(longest) >= endOf(one) ? longest : one),
    undefined,
  );

const endOf = ({ until = Number.POSITIVE_INFINITY }: Silence): number => until;
