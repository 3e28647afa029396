import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { MutationContext, Origin, TenantEnv } from '#lib/access/context.ts';
import { savePolicy } from '#lib/alerting/configure/policies.ts';
import { auditedPolicy } from '#lib/alerting/configure/views.ts';
import { isSignedBy, type LinkClaims, parseToken } from '#lib/alerting/notify/alert-links.ts';
import type { AccountChannel } from '#lib/alerting/policy/account-alerting.ts';
import { channelIn, channelPlace } from '#lib/alerting/policy/channel-field.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { isSilencedAt, type SilenceSettings, withSilence } from '#lib/catalog/silence-settings.ts';
import { clockTime } from '#lib/channels/message-facts.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import { acknowledgementAt } from '#lib/checks/acknowledgement.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkLabel } from '#lib/checks/types/registry.ts';
import type { Env } from '#lib/env.ts';
import { acknowledge } from '#lib/incidents/acknowledge.ts';
import type { Item, Key, Write } from '#lib/platform/ports.ts';
import { HOUR_MS, iso } from '#lib/platform/time.ts';

/** That a link was used: put with what it did, and kept until the link is worth nothing anyway. */
type UsedLink = Item & { v: string; at: number };

/** A link that still does something. */
export type OpenLink = {
  claims: LinkClaims;
  check: CheckItem;
  entity: EntityItem;
  /** What its failure is called: `Web shop: home page`. */
  name: string;
  /** To whom it was sent: `Slack`, or what a channel of the account is called. */
  sent_to: string;
  /** Where its use is noted. */
  used: Key;
};

/** Why a link does nothing, in a sentence for whoever follows it, and the status of that page. */
type DeadLink = { status: 403 | 404 | 410; why: string };

const dead = (status: DeadLink['status'], why: string): DeadLink => ({ status, why });

const NOT_OURS = dead(
  404,
  'This link is none of this service. It may have been cut off on its way: open it anew from the alert.',
);

/** Looks at what a link is for, and changes nothing: whatever fetches links to show them does no harm. */
export async function openLink({ ports, keys }: Env, token: string): Promise<OpenLink | DeadLink> {
  const read = parseToken(token);
  if (!read) return NOT_OURS;
  const { claims, signature } = read;
  const { tenant, check_id, channel_id, transition_id } = claims;
  const used = keys.usedLink(tenant, signature);
  const [account, use, check, place] = await ports.table.getMany<
    [AccountItem, UsedLink, CheckItem, PolicyItem | AccountChannel]
  >([keys.account(tenant), used, keys.check(tenant, check_id), channelPlace(keys, tenant, check_id, channel_id)]);
  if (!account || !isSignedBy(account.link_key, read)) return NOT_OURS;
  if (isDisabled(account)) return dead(403, 'The account of this link is disabled.');
  const now = ports.clock.now();
  if (claims.expires_at * 1000 <= now)
    return dead(410, `This link was good until ${clockTime(iso(claims.expires_at * 1000))}. Nothing was changed.`);
  if (use)
    return dead(
      410,
      `This link was used at ${clockTime(iso(use.at))}. Each link works once; nothing more was changed.`,
    );
  const channel = channelIn(place, channel_id);
  const entity = check && (await ports.table.get<EntityItem>(keys.entity(tenant, check.entity_id)));
  if (!check || !entity) return dead(410, 'The check that this link is about was deleted.');
  if (!channel) return dead(410, 'The channel that this link was sent to was removed. Nothing was changed.');
  const name = `${entity.name}: ${checkLabel(check)}`;
  if (check.alerts.episode?.transition_id !== transition_id) {
    const since = check.alerts.episode
      ? 'it has failed anew since, which has links of its own'
      : `it is ${check.state}`;
    return dead(410, `The failure of ${name} that this link is about is over: ${since}. Nothing was changed.`);
  }
  const by = claims.action === 'acknowledge' ? acknowledgementAt(check.alerts, now) : undefined;
  if (by) return dead(410, `${name} was acknowledged at ${clockTime(iso(by.at))}: ${by.by}. Nothing was changed.`);
  const sent_to =
    'name' in channel ? String(channel.name) : (channelTypeOf(channel.channel_type)?.title ?? 'a channel');
  return { claims, check, entity, name, sent_to, used };
}

type Following = TenantEnv & MutationContext;

/** Does what a link is for, once: its use is noted in the same transaction. */
export async function followLink(
  { ports, keys }: Env,
  link: OpenLink,
  origin: Origin & { via: 'link' },
): Promise<void> {
  const scope: Following = { ports, keys, tenant: link.claims.tenant, origin };
  const now = ports.clock.now();
  const put: UsedLink = { ...link.used, v: ports.ids.token(), at: now, expires_at: link.claims.expires_at + KEPT_S };
  const used: Write = { put, if: 'absent' };
  if (link.claims.action === 'silence') return silence(scope, link, used);
  const { channel_id } = link.claims;
  await acknowledge(scope, link.check, { by: `a link in ${link.sent_to}`, via: 'link', channel_id, note: '' }, [used]);
}

/** Longer than it is good, as clocks differ. */
const KEPT_S = 3600;

/** For so long the alerts of a check are held back. */
const SILENCE_MS = HOUR_MS;

async function silence(scope: Following, { check, sent_to }: OpenLink, used: Write): Promise<void> {
  const note = auditWriter(scope, 'update', auditedPolicy);
  const now = scope.ports.clock.now();
  const until = now + SILENCE_MS;
  await savePolicy(
    scope,
    check,
    ({ stored }) =>
      isSilencedUntil(stored, until, now)
        ? stored
        : withSilence(
            stored,
            {
              silenced: true,
              silenced_until: until,
              silence_reason: `for an hour, by a link in ${sent_to}`.slice(0, 500),
            },
            now,
          ),
    (before, after) => [used, ...note(before, after)],
  );
}

const isSilencedUntil = (stored: SilenceSettings, until: number, now: number): boolean =>
  isSilencedAt(stored, now) && (stored.silenced_until === undefined || Date.parse(stored.silenced_until) >= until);
