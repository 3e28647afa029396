import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { floorRatio } from '#lib/history/rollups/buckets.ts';
import type { TimeKind } from '#lib/history/rollups/classify-time.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { Name, Slug } from '#lib/platform/text.ts';
import { DAY_MS, HOUR_MS, iso } from '#lib/platform/time.ts';

const DESCRIPTIONS = {
  slug: 'Identifier, unique in the account.',
  name: 'Display name.',
  check_id: 'Measured check; cannot be changed. Exactly one of check_id and entity_id is required.',
  entity_id: 'Measured entity; cannot be changed.',
  target: 'Required share of good time, with at most five decimals.',
  window:
    'Time range. 7d, 28d, 30d, 90d: that number of days until now. month: the calendar month, in UTC. Default: 30d.',
  degraded_is_down: 'Whether degraded time counts as bad. Default: false.',
};

/** Targets are whole multiples of 1 / PARTS, so that budgets are exact. */
const PARTS = 100_000;

const Target = z
  .number()
  .min(0.5)
  .max(0.99999)
  .refine((value) => Math.abs(value * PARTS - Math.round(value * PARTS)) < 1e-6, 'must have at most five decimals');

const SloWindow = z.enum(['7d', '28d', '30d', '90d', 'month']);
type SloWindow = z.infer<typeof SloWindow>;

const settings = {
  slug: Slug.describe(DESCRIPTIONS.slug),
  name: Name.describe(DESCRIPTIONS.name),
  target: Target.describe(DESCRIPTIONS.target),
  window: SloWindow.describe(DESCRIPTIONS.window).exactOptional(),
  degraded_is_down: z.boolean().describe(DESCRIPTIONS.degraded_is_down).exactOptional(),
};

export const NewSlo = z
  .object({
    ...settings,
    check_id: z.string().describe(DESCRIPTIONS.check_id).exactOptional(),
    entity_id: z.string().describe(DESCRIPTIONS.entity_id).exactOptional(),
  })
  .meta({ id: 'NewSlo' });
export type NewSlo = z.output<typeof NewSlo>;

/** Changes of an SLO; omitted properties keep their value. */
export const SloPatch = z
  .object({
    id: Unchanged.exactOptional(),
    check_id: Unchanged.exactOptional(),
    entity_id: Unchanged.exactOptional(),
    ...settings,
    slug: settings.slug.exactOptional(),
    name: settings.name.exactOptional(),
    target: settings.target.exactOptional(),
  })
  .meta({ id: 'SloPatch' });
export type SloPatch = z.output<typeof SloPatch>;

const Ratio = (meaning: string, bounds = z.number()) =>
  bounds.nullable().describe(`${meaning} Rounded down to six decimals.`);
const Share = z.number().min(0).max(1);
const Seconds = (meaning: string) => z.number().describe(`${meaning}, in seconds.`);

export const SloBudget = z.object({
  sli: Ratio('Good time divided by good and bad time; null without such time.', Share),
  coverage: Ratio(
    'Good and bad time divided by all time except maintenance and not_monitored; null without such time.',
    Share,
  ),
  budget_seconds: Seconds('Allowed bad time of the whole window, even if it has not ended'),
  consumed_seconds: Seconds('Bad time in the range'),
  remaining_seconds: Seconds('Budget minus consumed time, negative if exceeded'),
  remaining_ratio: Ratio('Remaining divided by budget, at most 1; null without data.'),
  state: z
    .enum(['no_data', 'healthy', 'at_risk', 'exhausted'])
    .describe(
      'no_data: nothing was monitored in the range. healthy: more than a fifth of the budget remains. at_risk: a fifth or less remains. exhausted: none remains.',
    ),
});
type SloBudget = z.infer<typeof SloBudget>;

const { state, ...budget } = SloBudget.shape;

const SloStatus = z
  .object({
    from: z.iso.datetime().describe('Start of the time range: the start of the month, or a full hour.'),
    to: z.iso.datetime().describe('Current time.'),
    known_since: z.iso
      .datetime()
      .nullable()
      .describe(
        'Start of the first monitored time in the range; null without monitored time. Earlier time has no data.',
      ),
    ...budget,
    burn_rate: z
      .object({
        '1h': Ratio('Burn rate of the last hour.'),
        '6h': Ratio('Burn rate of the last 6 hours.'),
        '3d': Ratio('Burn rate of the last 3 days.'),
      })
      .describe(
        'Bad share of the monitored time in the last 1h, 6h and 3d, divided by 1 − target. A rate of 1 uses up exactly the budget of a window; null without data.',
      ),
    state,
  })
  .meta({ id: 'SloStatus' });
export type SloStatus = z.infer<typeof SloStatus>;

export const SloRecord = z
  .object({
    id: IdOf('the SLO'),
    slug: z.string().describe(DESCRIPTIONS.slug),
    name: z.string().describe(DESCRIPTIONS.name),
    check_id: z.string().nullable().describe('Measured check; null for an SLO of an entity.'),
    entity_id: z.string().nullable().describe('Measured entity; null for an SLO of a check.'),
    target: z.number().describe(DESCRIPTIONS.target),
    window: SloWindow.describe(DESCRIPTIONS.window),
    degraded_is_down: z.boolean().describe(DESCRIPTIONS.degraded_is_down),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Slo' });

export const MeasuredSlo = SloRecord.extend({
  missing: z.boolean().describe('Whether the check or entity was deleted; the state is then no_data.'),
  status: SloStatus.describe('Current error budget.'),
}).meta({ id: 'MeasuredSlo' });

/** Stored SLO. About 0.4 KB. */
export type SloItem = Item & { v: string } & z.infer<typeof SloRecord>;

export const sloRecord = (item: SloItem) => pick(SloRecord, item);

export const auditedSlo: Audited<SloItem> = {
  type: 'slo',
  target: ({ id, name }) => ({ id, name }),
  properties: ({ slug, name, check_id, entity_id, target, window, degraded_is_down }) => ({
    ...{ slug, name, check_id, entity_id, target, window, degraded_is_down },
  }),
};

/** Time range of an SLO until now, and the length of its whole window (ms). */
type SloRange = TimeRange & { window_ms: number };

/** Returns the time range of a window at `now` (epoch ms). It starts at a full hour, because rollups do. Pure. */
export function rangeOf(window: SloWindow, now: number): SloRange {
  if (window !== 'month') {
    const window_ms = Number.parseInt(window, 10) * DAY_MS;
    return { from: Math.ceil((now - window_ms) / HOUR_MS) * HOUR_MS, to: now, window_ms };
  }
  const date = new Date(now);
  const [from, next] = [0, 1].map((months) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
  return { from: from!, to: now, window_ms: next! - from! };
}

/** Milliseconds of each kind. */
type Time = Record<TimeKind, number>;

/** Measured time of an SLO: in its range (`whole`), and in the last 1h, 6h and 3d for burn rates (`last`). */
export type SloTime = {
  range: SloRange;
  known_since: number | null;
  whole: Time;
  last: Record<keyof SloStatus['burn_rate'], Time>;
};

type Objective = Pick<SloItem, 'target' | 'degraded_is_down'>;

/** Allowed share of bad time, as a multiple of 1 / PARTS. */
const allowedOf = ({ target }: Objective): number => PARTS - Math.round(target * PARTS);
const badTime = ({ degraded_is_down }: Objective, { down, degraded }: Time): number =>
  down + (degraded_is_down ? degraded : 0);
const knownTime = ({ up, down, degraded }: Time): number => up + degraded + down;

/** Returns the error budget of a window of `window_ms`, given the time measured in it so far. Pure. */
export function budgetOf(slo: Objective, time: Time, window_ms: number): SloBudget {
  const [bad, known] = [badTime(slo, time), knownTime(time)];
  const budget = (window_ms * allowedOf(slo)) / PARTS;
  const remaining = budget - bad;
  return {
    sli: floorRatio(known - bad, known),
    coverage: floorRatio(known, known + time.unknown + time.gap),
    budget_seconds: budget / 1000,
    consumed_seconds: bad / 1000,
    remaining_seconds: remaining / 1000,
    remaining_ratio: known > 0 ? floorRatio(remaining, budget) : null,
    state: known === 0 ? 'no_data' : remaining <= 0 ? 'exhausted' : remaining * 5 <= budget ? 'at_risk' : 'healthy',
  };
}

/** Returns the status of an SLO from its measured time. Pure. */
export function statusOf(slo: Objective, { range, known_since, whole, last }: SloTime): SloStatus {
  const burn = (time: Time) => floorRatio(badTime(slo, time) * PARTS, knownTime(time) * allowedOf(slo));
  return {
    from: iso(range.from),
    to: iso(range.to),
    known_since: known_since === null ? null : iso(known_since),
    burn_rate: { '1h': burn(last['1h']), '6h': burn(last['6h']), '3d': burn(last['3d']) },
    ...budgetOf(slo, whole, range.window_ms),
  };
}
