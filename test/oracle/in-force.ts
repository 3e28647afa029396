import type { AccountChannel, AccountSilence, AlertingHead } from '#lib/alerting/policy/account-alerting.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { RotaItem } from '#lib/alerting/policy/rotas.ts';
import { type EscalationStep, POLICY_DEFAULTS, type PolicySettings } from '#lib/alerting/policy/settings.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { WindowItem } from '#lib/checks/maintenance.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { isCronDue } from './due-at.ts';
import { type Commit, keyText } from './inside.ts';

/**
 * The rules of policies, silences and maintenance windows, implemented from docs/use/alerts.md and not from the
 * service's code. Only the names and defaults of settings come from the code.
 */

/** The effective settings of a check at a given time. */
export type EffectiveSettings = PolicySettings & {
  silenced: boolean;
  /** Whether a maintenance window is open for the check. */
  window: boolean;
  /** Returns the recipients of alerts about a state, one per destination, with the `ids` of all channels to it. */
  recipients(says: string): { id: string; destination: string; ids: string[] }[];
  /** Returns the ids of those channels. */
  recipientIds(says: string): string[];
  /** Whether a step of its escalation notifies a channel. */
  escalates: boolean;
};

type Selection = AccountChannel['applies_to'] | WindowItem['scope'];

/** Whether a selection matches a check. */
export const isSelected = (selection: Selection, check: CheckItem, entity: EntityItem | undefined): boolean =>
  selection === null ||
  ((selection.check_ids ?? [check.id]).includes(check.id) &&
    (selection.entity_ids ?? [check.entity_id]).includes(check.entity_id) &&
    (selection.blueprints ?? [entity?.blueprint_slug ?? '']).includes(entity?.blueprint_slug ?? ''));

const accountChannels = (account: readonly Item[], check: CheckItem, entity?: EntityItem): AccountChannel[] =>
  account
    .filter((item): item is AccountChannel => item.sk.startsWith('CHANNEL#'))
    .filter((one) => one.enabled && isSelected(one.applies_to, check, entity));

const MINUTE_MS = 60_000;
const due = new Map<string, boolean>();

/** Whether a window is open: between its times, or for its duration after a start. */
export function isOpen(times: WindowItem['times'], at: number): boolean {
  if ('ends_at' in times) return times.starts_at <= at && at < times.ends_at;
  const { cron, time_zone, duration_ms, from, until = Number.POSITIVE_INFINITY } = times;
  const isStart = (minute: number): boolean => {
    const name = `${cron} ${time_zone} ${minute}`;
    if (!due.has(name)) due.set(name, isCronDue(cron, time_zone, minute));
    return minute >= from && minute < until && due.get(name)!;
  };
  for (let minute = Math.floor(at / MINUTE_MS) * MINUTE_MS; minute > at - duration_ms; minute -= MINUTE_MS)
    if (isStart(minute)) return true;
  return false;
}

const isSilenced = (one: { silenced?: boolean; silenced_until?: string } | undefined, at: number): boolean =>
  one?.silenced === true && !(one.silenced_until && Date.parse(one.silenced_until) <= at);

/**
 * Returns the effective settings of a check.
 * @param table items at that time
 * @param account alerting items of its account at that time
 */
export function effectiveSettings(
  table: ReadonlyMap<string, Item>,
  account: readonly Item[],
  keys: Keys,
  check: CheckItem,
  at: number,
): EffectiveSettings {
  const { tenant_id, id, entity_id } = check;
  const own = table.get(keyText(keys.policy(tenant_id, id))) as PolicyItem | undefined;
  const entity = table.get(keyText(keys.entity(tenant_id, entity_id))) as EntityItem | undefined;
  const of = <T extends Item>(word: string) => account.filter((item): item is T => item.sk.startsWith(word));
  const [head] = of<AlertingHead>('HEAD');
  const silences = of<AccountSilence>('SILENCE#').filter(({ applies_to: selection }) =>
    isSelected(selection, check, entity),
  );
  const windows = of<WindowItem>('WINDOW#').filter(({ scope }) => isSelected(scope, check, entity));
  const channels = accountChannels(account, check, entity);
  const { escalation = [] } = { ...head?.policy, ...own };
  const rotas = of<RotaItem>('ROTA#');
  const named = new Set(escalation.flatMap((step) => [...channelsOfStep(step, rotas, at)]));
  const all = (says: string) => [
    ...(own?.channels ?? []),
    ...channels.filter(({ applies_to: of }) => reportsTo(of, says)),
  ];
  const idsOf = (wanted: string) =>
    [...(own?.channels ?? []), ...channels]
      .filter(({ id, destination = id }) => destination === wanted)
      .map(({ id }) => id);
  const recipients: EffectiveSettings['recipients'] = (says) => {
    const receiving = all(says).filter((one) => isRecipient(one.id, escalation, rotas, check.alerts, says));
    const first = new Map(receiving.toReversed().map((channel) => [channel.destination, channel.id]));
    return receiving
      .filter((one) => first.get(one.destination) === one.id)
      .map(({ id, destination = id }) => ({ id, destination, ids: idsOf(destination) }));
  };
  return {
    ...POLICY_DEFAULTS,
    ...head?.policy,
    ...own,
    escalates: all('down').some((one) => named.has(one.id)),
    silenced: isSilenced(own, at) || isSilenced(entity, at) || silences.some(({ until }) => at < until),
    window: windows.some(({ times }) => isOpen(times, at)),
    recipients,
    recipientIds: (says) => recipients(says).map(({ id }) => id),
  };
}

const DAY_MS = 86_400_000;

type Step = EscalationStep | undefined;

/** Returns the channels of each person on call at `at`. Rotas are daily, in UTC, and without overrides. */
const personsOnCall = (step: Step, rotas: readonly RotaItem[], at: number): (readonly string[])[] =>
  rotas
    .filter(({ id }) => step?.rota_ids?.includes(id))
    .map(({ members, starts_on, handover }) => {
      const days = Math.floor((at - Date.parse(`${starts_on}T${handover.at}Z`)) / DAY_MS);
      return members[Math.max(0, days) % members.length]!.channel_ids;
    });

/** Returns the channels that a step notifies at `at`. */
export const channelsOfStep = (step: Step, rotas: readonly RotaItem[], at: number): Set<string> =>
  new Set([...(step?.channel_ids ?? []), ...personsOnCall(step, rotas, at).flat()]);

/** Returns the destinations that a step must reach, for each person on call at `at`. @param account alerting items */
export function destinationsOnCall(step: Step, account: readonly Item[], check: CheckItem, at: number): string[][] {
  const rotas = account.filter((item): item is RotaItem => item.sk.startsWith('ROTA#'));
  const channels = accountChannels(account, check).filter(({ applies_to }) => reportsTo(applies_to, 'down'));
  return personsOnCall(step, rotas, at).map((ids) =>
    channels.filter(({ id }) => ids.includes(id)).map(({ id, destination = id }) => destination),
  );
}

/**
 * Whether a channel is notified of a state: a channel in an escalation step from that step on, and of the recovery if
 * it was notified. A channel that only a rota names is notified of a state only after a step has notified it.
 */
export function isRecipient(
  id: string,
  escalation: readonly EscalationStep[],
  rotas: readonly RotaItem[],
  { episode, escalated = [] }: CheckItem['alerts'],
  says: string,
): boolean {
  const own = escalation.findIndex(({ channel_ids }) => channel_ids.includes(id));
  const isMember = ({ rota_ids = [] }: EscalationStep) =>
    rotas.some((rota) => rota_ids.includes(rota.id) && rota.members.some((one) => one.channel_ids.includes(id)));
  const steps = [own, escalation.findIndex(isMember)].filter((step) => step >= 0);
  if (steps.length === 0) return true;
  if (says === 'up') return escalated.includes(id);
  return Math.min(...steps) < (episode?.escalation?.steps ?? 0) && (own >= 0 || escalated.includes(id));
}

const reportsTo = (selection: AccountChannel['applies_to'], says: string): boolean =>
  !selection?.states || (selection.states as string[]).includes(says);

/** Maximum time between the start of a decision and its commit (ms): attempts for ten seconds, and waits. */
const BEGUN_MS = 15_000;

/** Tracks the recent alerting items of accounts, as commits change them. */
export function trackAccounts() {
  const now = new Map<string, Item[]>();
  let before: { tenant: string; until: number; items: Item[] }[] = [];
  return {
    /** Returns the possible alerting items of an account for a decision that is committed at `at`, the latest first. */
    of: (tenant: string, at: number): Item[][] => {
      before = before.filter(({ until }) => until > at - BEGUN_MS);
      const older = before.filter((one) => one.tenant === tenant).map(({ items }) => items);
      return [now.get(tenant) ?? [], ...older.toReversed()];
    },
    take: ({ at, changes }: Pick<Commit, 'at' | 'changes'>): void => {
      const relevant = changes.filter(({ key }) => key.pk.endsWith('#ALERTING'));
      for (const [tenant, own] of Map.groupBy(relevant, ({ key }) => key.pk.split('#')[1]!)) {
        const old = now.get(tenant) ?? [];
        before.push({ tenant, until: at, items: old });
        const kept = old.filter(({ sk }) => own.every(({ key }) => key.sk !== sk));
        const items = [...kept, ...own.flatMap(({ after }) => after ?? [])];
        now.set(
          tenant,
          items.sort((a, b) => (a.sk < b.sk ? -1 : 1)),
        );
      }
    },
  };
}

/** Returns possible times of a decision that is committed at `at`: a silence or window can end before the commit. */
export const possibleTimes = (at: number): number[] => [at, at - 1_000, at - 5_000, at - BEGUN_MS];
