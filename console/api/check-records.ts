import type * as z from 'zod';
import type { DeliveryRecord } from '#lib/alerts/deliver/delivery-item.ts';
import type { ChannelRecord, PolicyRecord } from '#lib/alerts/policy/policy-schemas.ts';
import type { CheckRecord } from '#lib/checks/check-record.ts';
import type { DeliveryKind as Kind } from '#lib/checks/delivery-id.ts';
import type { GapRecord } from '#lib/health/history/gaps.ts';
import type { ResultRecord } from '#lib/health/history/result-item.ts';
import type { CheckBucket as BucketRecord } from '#lib/health/rollups/bucket.ts';
import type { BucketSize } from '#lib/health/rollups/buckets.ts';
import type { TransitionCause as Cause, SkipReason as Reason } from '#lib/health/state/transition-record.ts';

export type Delivery = DeliveryRecord;
export type DeliveryKind = Kind;
export type Channel = ChannelRecord;
export type Policy = PolicyRecord;
export type Result = ResultRecord;
export type SkipReason = Reason;
export type TransitionCause = Cause;

/** A check as each answer shows it. What types add at the top level (http has target_url) is known by their schemas. */
export type Check = CheckRecord;

/** In a list, with `last_result=true`. */
export type ListedCheck = Check & { stale: boolean; last_result?: Result | null };

/** By itself; `alerts_after_seconds` is of push checks alone. */
export type CheckDetail = ListedCheck & { last_checked_at: string | null; alerts_after_seconds?: number };

export type Gap = z.output<typeof GapRecord>;
export type CheckBucket = BucketRecord;

export type CheckHistory = { bucket: BucketSize; from: string; to: string; total: CheckBucket; buckets: CheckBucket[] };

/** What a probe by settings that are not stored has found; types add members of their own. */
export type TrialResult = Pick<Result, 'success' | 'status_code' | 'latency_ms' | 'error_message'> & {
  error_kind: string | null;
  [more: string]: unknown;
};

/** A run by hand. */
export type CheckRun = Result & { check_state: Check['state'] };
