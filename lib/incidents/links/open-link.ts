import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { MutationContext, Origin, TenantEnv } from '#lib/access/context.ts';
import { savePolicy } from '#lib/alerting/configure/policies.ts';
import { auditedPolicy } from '#lib/alerting/configure/views.ts';
import { isSignedBy, type LinkClaims, parseToken } from '#lib/alerting/notify/alert-links.ts';
import type { AccountChannel } from '#lib/alerting/policy/account-alerting.ts';
import { channelIn, channelKey } from '#lib/alerting/policy/channel-location.ts';
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

/** Record of a used link, written in the transaction of its action and kept until an hour after the link expires. */
type UsedLink = Item & { v: string; at: number };

export type OpenLink = {
  claims: LinkClaims;
  check: CheckItem;
  entity: EntityItem;
  /** Name of the failed check: `Web shop: home page`. */
  name: string;
  /** Channel that received the link: name of an account channel, or type of another channel, such as `Slack`. */
  sent_to: string;
  /** Table key of its UsedLink. */
  used: Key;
};

type DeadLink = { status: 403 | 404 | 410; why: string };

const deadLink = (status: DeadLink['status'], why: string): DeadLink => ({ status, why });

const INVALID = deadLink(404, 'Invalid link, possibly truncated. Open it from the alert again.');

/** Validates a link without changing anything, because link previews fetch it. */
export async function openLink({ ports, keys }: Env, token: string): Promise<OpenLink | DeadLink> {
  const read = parseToken(token);
  if (!read) return INVALID;
  const { claims, signature } = read;
  const { tenant, check_id, channel_id, transition_id } = claims;
  const used = keys.usedLink(tenant, signature.toString('base64url'));
  const [account, use, check, place] = await ports.table.getMany<
    [AccountItem, UsedLink, CheckItem, PolicyItem | AccountChannel]
  >([keys.account(tenant), used, keys.check(tenant, check_id), channelKey(keys, tenant, check_id, channel_id)]);
  if (!account || !isSignedBy(account.link_key, 'link', read)) return INVALID;
  if (isDisabled(account)) return deadLink(403, 'The account of this link is disabled.');
  const now = ports.clock.now();
  if (claims.expires_at * 1000 <= now)
    return deadLink(410, `This link expired at ${clockTime(iso(claims.expires_at * 1000))}. Nothing was changed.`);
  if (use)
    return deadLink(
      410,
      `This link was used at ${clockTime(iso(use.at))}. Each link works once; nothing more was changed.`,
    );
  const channel = channelIn(place, channel_id);
  const entity = check && (await ports.table.get<EntityItem>(keys.entity(tenant, check.entity_id)));
  if (!check || !entity) return deadLink(410, 'The check of this link was deleted.');
  if (!channel) return deadLink(410, 'The channel of this link was removed. Nothing was changed.');
  const name = `${entity.name}: ${checkLabel(check)}`;
  if (check.alerts.episode?.transition_id !== transition_id) {
    const since = check.alerts.episode
      ? 'it has failed again since; use the link in the new alert'
      : `it is ${check.state}`;
    return deadLink(410, `The failure of ${name} is over: ${since}. Nothing was changed.`);
  }
  const existing = claims.action === 'acknowledge' ? acknowledgementAt(check.alerts, now) : undefined;
  if (existing)
    return deadLink(
      410,
      `${name} was acknowledged by ${existing.by} at ${clockTime(iso(existing.at))}. Nothing was changed.`,
    );
  const sent_to =
    'name' in channel ? String(channel.name) : (channelTypeOf(channel.channel_type)?.title ?? 'a channel');
  return { claims, check, entity, name, sent_to, used };
}

type ActorScope = TenantEnv & MutationContext;

/**
 * Performs the action of a link. Records the use in the same transaction, so that a link changes something only once.
 * @param name name that the user entered; may be empty
 */
export async function followLink(
  { ports, keys }: Env,
  link: OpenLink,
  origin: Origin & { via: 'link' },
  name = '',
): Promise<void> {
  const scope: ActorScope = { ports, keys, tenant: link.claims.tenant, origin };
  const now = ports.clock.now();
  const put: UsedLink = { ...link.used, v: ports.ids.token(), at: now, expires_at: link.claims.expires_at + KEPT_S };
  const used: Write = { put, if: 'absent' };
  if (link.claims.action === 'silence') return silence(scope, link, used);
  const { channel_id } = link.claims;
  const by = `${name && `${name}, by `}a link in ${link.sent_to}`;
  await acknowledge(scope, link.check, { by, via: 'link', channel_id, note: '' }, [used]);
}

/** Retention of a `UsedLink` after the link has expired, in seconds, because clocks differ. */
const KEPT_S = 3600;

/** Duration of a silence by a link in ms. */
const SILENCE_MS = HOUR_MS;

async function silence(scope: ActorScope, { check, sent_to }: OpenLink, used: Write): Promise<void> {
  const auditWrites = auditWriter(scope, 'update', auditedPolicy);
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
    (before, after) => [used, ...auditWrites(before, after)],
  );
}

const isSilencedUntil = (stored: SilenceSettings, until: number, now: number): boolean =>
  isSilencedAt(stored, now) && (stored.silenced_until === undefined || Date.parse(stored.silenced_until) >= until);
