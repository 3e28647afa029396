import { auditing } from '#lib/access/auditing.ts';
import type { Changing, Origin, TenantEnv } from '#lib/access/context.ts';
import { savePolicy } from '#lib/alerting/configure/policies.ts';
import { auditedPolicy } from '#lib/alerting/configure/views.ts';
import { isSilencedAt, type OwnSilence, withSilence } from '#lib/catalog/own-silence.ts';
import type { Env } from '#lib/env.ts';
import { acknowledge } from '#lib/incidents/acknowledge.ts';
import type { OpenLink, UsedLink } from '#lib/incidents/links/open-link.ts';
import type { Write } from '#lib/platform/ports.ts';
import { HOUR_MS } from '#lib/platform/time.ts';

type Following = TenantEnv & Changing;

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
  const note = auditing(scope, 'update', auditedPolicy);
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

const isSilencedUntil = (stored: OwnSilence, until: number, now: number): boolean =>
  isSilencedAt(stored, now) && (stored.silenced_until === undefined || Date.parse(stored.silenced_until) >= until);
