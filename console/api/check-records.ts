import type * as z from 'zod';
import type { CheckRecord } from '#lib/checks/check-record.ts';
import type { GapRecord } from '#lib/health/history/gaps.ts';
import type { ResultRecord } from '#lib/health/history/result-item.ts';
import type { CheckBucket } from '#lib/health/rollups/bucket.ts';
import type { BucketSize } from '#lib/health/rollups/buckets.ts';

export type { DeliveryRecord as Delivery } from '#lib/alerts/deliver/delivery-item.ts';
export type { ChannelRecord as Channel, PolicyRecord as Policy } from '#lib/alerts/policy/policy-schemas.ts';
export type { DeliveryKind } from '#lib/checks/delivery-id.ts';
export type { ResultRecord as Result } from '#lib/health/history/result-item.ts';
export type { SkipReason, TransitionCause } from '#lib/health/state/transition-record.ts';

/** A check as each answer shows it. What types add at the top level (http has target_url) is known by their schemas. */
export type Check = CheckRecord;

/** In a list, with `last_result=true`. */
export type ListedCheck = Check & { stale: boolean; last_result?: ResultRecord | null };

/** By itself; `alerts_after_seconds` is of push checks alone. */
export type CheckDetail = ListedCheck & { last_checked_at: string | null; alerts_after_seconds?: number };

export type Gap = z.output<typeof GapRecord>;
export type { BucketSize, CheckBucket };

export type CheckHistory = { bucket: BucketSize; from: string; to: string; total: CheckBucket; buckets: CheckBucket[] };

/** What a probe by settings that are not stored has found; types add members of their own. */
export type TrialResult = Pick<ResultRecord, 'success' | 'status_code' | 'latency_ms' | 'error_message'> & {
  error_kind: string | null;
  [more: string]: unknown;
};

/** A run by hand. */
export type CheckRun = ResultRecord & { check_state: Check['state'] };
