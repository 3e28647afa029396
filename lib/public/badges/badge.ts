import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import type { Item } from '#lib/platform/ports.ts';
import { line } from '#lib/platform/text.ts';

export const BADGE_PATH = '/badge/';

/** Maximum number of badges of an account. */
export const MAX_BADGES = 500;

const FIGURES = ['state', 'uptime', 'latency'] as const;
export type Figure = (typeof FIGURES)[number];

export const PERIODS = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 } as const;
export type Period = keyof typeof PERIODS;

const DESCRIPTIONS = {
  label: 'Text on the left, visible to everyone, up to 40 characters. Default: status, uptime or latency.',
  check_id: 'Check that the badge shows. Exactly one of check_id, entity_id and status_page_id is required.',
  entity_id: 'Entity that it shows.',
  status_page_id: 'Status page whose state it shows.',
};

export const NewBadge = z
  .object({
    // Short enough for an image below 1.2 KB.
    label: line(1, 40).describe(DESCRIPTIONS.label).exactOptional(),
    check_id: z.string().describe(DESCRIPTIONS.check_id).exactOptional(),
    entity_id: z.string().describe(DESCRIPTIONS.entity_id).exactOptional(),
    status_page_id: z.string().describe(DESCRIPTIONS.status_page_id).exactOptional(),
  })
  .meta({ id: 'NewBadge' });
export type NewBadge = z.output<typeof NewBadge>;

const Url = (what: string, nullFor: string) =>
  z
    .string()
    .nullable()
    .describe(
      `Address of the badge with ${what}; needs no key. With .json instead of .svg: data for shields.io. Null for ${nullFor}.`,
    );

export const BadgeRecord = z
  .object({
    id: IdOf('the badge'),
    label: z.string().nullable().describe('Text on the left; null for the default.'),
    check_id: z.string().nullable().describe('Check that it shows; null for an entity or status page.'),
    entity_id: z.string().nullable().describe('Entity that it shows; null for a check or status page.'),
    status_page_id: z.string().nullable().describe('Status page that it shows; null for a check or entity.'),
    urls: z
      .object({
        state: z.string().describe('Address of the badge with the state.'),
        uptime: Url('the uptime', 'a status page'),
        latency: Url('the 95th percentile of latency', 'an entity or status page'),
      })
      .describe(
        'Public addresses. Uptime and latency accept period=24h, 7d, 30d or 90d; all accept style=flat-square.',
      ),
    created_at: CreatedAt,
  })
  .meta({ id: 'Badge' });
export type BadgeRecord = z.infer<typeof BadgeRecord>;

/** The subject of a badge; exactly one id is set. */
export type BadgeTarget = { check_id: string | null; entity_id: string | null; status_page_id: string | null };

/** Badge of an account. `public_id`: 128 random bits in its address. */
export type BadgeItem = Item &
  BadgeTarget & { v: string; id: string; label: string | null; public_id: string; created_at: string };

/** Copy of a badge under its public id. A badge does not change, so the two items agree. */
export type PublicBadgeItem = Item & BadgeTarget & { v: string; tenant_id: string; label: string | null };

/** Cached uptime and latency of a badge, so that few requests read the history. `at`: time of reading (epoch ms). */
export type BadgeFiguresItem = Item & { at: number; uptime: number | null; p95_ms: number | null };

const shown = ({ label, check_id, entity_id, status_page_id }: BadgeItem) => ({
  label,
  check_id,
  entity_id,
  status_page_id,
});

/** Whether the target of a badge has a figure. Pure. */
export const hasFigure = ({ check_id, status_page_id }: BadgeTarget, figure: Figure): boolean =>
  figure === 'state' || (figure === 'uptime' ? status_page_id === null : check_id !== null);

/** Returns the badge as the API shows it. @param address base URL of the service */
export function badgeRecord(badge: BadgeItem, address: string): BadgeRecord {
  const { id, public_id, created_at } = badge;
  const urlOf = (figure: Figure) => `${address}${BADGE_PATH}${public_id}/${figure}.svg`;
  const ifShown = (figure: Figure) => (hasFigure(badge, figure) ? urlOf(figure) : null);
  const urls = { state: urlOf('state'), uptime: ifShown('uptime'), latency: ifShown('latency') };
  return { id, ...shown(badge), urls, created_at };
}

export const auditedBadge: Audited<BadgeItem> = {
  type: 'badge',
  target: ({ id, label, check_id, entity_id, status_page_id }) => ({
    id,
    name: label ?? id,
    within: [check_id, entity_id, status_page_id].flatMap((one) => one ?? []),
  }),
  properties: shown,
  shown,
};
