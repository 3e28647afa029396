import type { EntityItem } from '#lib/catalog/entity.ts';
import { isSilencedAt, type SilenceSettings } from '#lib/catalog/silence-settings.ts';
import type { CheckItem, NotifiedAlert } from '#lib/checks/check-item.ts';
import { type Selectable, selects } from '#lib/checks/selector.ts';
import type { AccountAlerting, AccountChannel } from './account-alerting.ts';
import type { AlertChannel, Policy, PolicyItem, Silence } from './policy.ts';
import { onCallAt, type RotaItem } from './rotas.ts';
import { type EscalationStep, POLICY_DEFAULTS, POLICY_NAMES, type PolicySettings } from './settings.ts';
import { openWindow } from './windows.ts';

type Steps = Pick<Policy, 'escalation' | 'rotas'>;

const names = (step: EscalationStep | undefined, id: string): boolean => step?.channel_ids.includes(id) === true;

/** Whether a channel belongs to a rota of a step: to its person on call, or to any member. */
const hasByRota = (
  step: EscalationStep | undefined,
  { rotas = [] }: Pick<Policy, 'rotas'>,
  id: string,
  of: 'on_call' | 'members',
): boolean => rotas.some((rota) => step?.rota_ids?.includes(rota.id) && rota[of].includes(id));

const indexOf = (steps: readonly EscalationStep[], has: (step: EscalationStep) => boolean): number | undefined => {
  const index = steps.findIndex(has);
  return index < 0 ? undefined : index;
};

/** Whether a channel receives an alert: if it belongs to an escalation step, only after that step notified it. */
function isEligible(
  id: string,
  policy: Steps,
  { episode, escalated = [] }: Pick<CheckItem['alerts'], 'episode' | 'escalated'>,
  reports_state: NotifiedAlert['reports_state'],
): boolean {
  const { escalation } = policy;
  const own = indexOf(escalation, (step) => names(step, id));
  const step = own ?? indexOf(escalation, (one) => hasByRota(one, policy, id, 'members'));
  if (step === undefined) return true;
  if (reports_state === 'up') return escalated.includes(id);
  // A step notifies only the person on call, so later alerts of the failure are not for the other members.
  return step < (episode?.escalation?.steps ?? 0) && (own !== undefined || escalated.includes(id));
}

type About = {
  check: Selectable['check'];
  entity: Pick<EntityItem, 'id' | 'blueprint_slug' | 'labels' | keyof SilenceSettings>;
  account: AccountAlerting;
  now: number;
};

/** Returns the settings in effect: of the check, else of the account, else the defaults. */
export function effectiveSettings(
  stored: Partial<PolicySettings> | undefined,
  account: Pick<AccountAlerting, 'policy'>,
): PolicySettings {
  const settings: Record<string, unknown> = { ...POLICY_DEFAULTS, ...account.policy };
  for (const name of POLICY_NAMES) if (stored?.[name] !== undefined) settings[name] = stored[name];
  return settings as PolicySettings;
}

/** Returns the names of the settings that a check does not set itself. */
export const inheritedOf = (stored: Partial<PolicySettings> | undefined): (keyof PolicySettings)[] =>
  POLICY_NAMES.filter((name) => stored?.[name] === undefined);

/** Returns the policy of a check in effect at `now`. Pure. */
export function effectivePolicy(stored: PolicyItem | undefined, about: About): Policy {
  const silence = silenceOf(stored, about);
  const { account, now, ...one } = about;
  const window = openWindow(account.windows, one, now);
  const settings = effectiveSettings(stored, about.account);
  const rotas = rotasOf(settings, account.rotas, now);
  return {
    ...settings,
    ...(rotas.length > 0 && { rotas }),
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

const rotasOf = ({ escalation }: PolicySettings, rotas: readonly RotaItem[], now: number): Policy['rotas'] & object =>
  rotas
    .filter(({ id }) => escalation.some(({ rota_ids }) => rota_ids?.includes(id)))
    .map((rota) => ({
      id: rota.id,
      on_call: onCallAt(rota, now).current.channel_ids,
      members: rota.members.flatMap(({ channel_ids }) => channel_ids),
    }));

export const accountChannels = ({ account, ...one }: Selectable & Pick<About, 'account'>): AccountChannel[] =>
  account.channels.filter(({ enabled, applies_to }) => enabled && selects(applies_to, one));

/** Returns the recipients of an alert, each destination once, without escalation steps that are not due. Pure. */
export function recipientsFor(
  policy: Pick<Policy, 'channels'> & Steps,
  reports_state: NotifiedAlert['reports_state'],
  alerts: Pick<CheckItem['alerts'], 'episode' | 'escalated'>,
): AlertChannel[] {
  return uniqueRecipients(policy, reports_state, ({ id }) => isEligible(id, policy, alerts, reports_state));
}

/** Returns the channels that an escalation step notifies. Pure. @param step from 0 */
export const channelsOfStep = (policy: Pick<Policy, 'channels'> & Steps, step: number): AlertChannel[] =>
  uniqueRecipients(
    policy,
    'down',
    ({ id }) => names(policy.escalation[step], id) || hasByRota(policy.escalation[step], policy, id, 'on_call'),
  );

/** Whether the person on call in a rota of a step has no channel that the step can notify. Pure. @param step from 0 */
export const missesPerson = (
  { channels, escalation, rotas = [] }: Pick<Policy, 'channels'> & Steps,
  step: number,
): boolean =>
  rotas.some(
    ({ id, on_call }) =>
      escalation[step]?.rota_ids?.includes(id) &&
      !channels.some((channel) => on_call.includes(channel.id) && isNotifiedOf(channel, 'down')),
  );

/** Returns the channels that any escalation step would notify now. Pure. */
export const channelsOfSteps = (policy: Pick<Policy, 'channels'> & Steps): AlertChannel[] =>
  uniqueRecipients(policy, 'down', ({ id }) =>
    policy.escalation.some((step) => names(step, id) || hasByRota(step, policy, id, 'on_call')),
  );

const isNotifiedOf = ({ states }: AlertChannel, state: NotifiedAlert['reports_state']): boolean =>
  states?.includes(state) ?? true;

function uniqueRecipients(
  { channels }: Pick<Policy, 'channels'>,
  reports_state: NotifiedAlert['reports_state'],
  includes: (channel: AlertChannel) => boolean,
): AlertChannel[] {
  const notified = new Set<string>();
  return channels.filter((channel) => {
    const { id, destination = id } = channel;
    if (!isNotifiedOf(channel, reports_state) || notified.has(destination) || !includes(channel)) return false;
    notified.add(destination);
    return true;
  });
}

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

/** Returns the silence that ends last. */
const silenceOf = (stored: SilenceSettings | undefined, about: About): Silence | undefined =>
  silencesOf(stored, about).reduce<Silence | undefined>(
    (longest, one) => (longest && endOf(longest) >= endOf(one) ? longest : one),
    undefined,
  );

const endOf = ({ until = Number.POSITIVE_INFINITY }: Silence): number => until;
