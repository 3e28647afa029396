import type * as z from 'zod';
import type { ActionRecord } from '#lib/actions/action.ts';
import type { ExecutionRecord } from '#lib/actions/execution.ts';
import type { LogLine as LogLineRecord } from '#lib/actions/store.ts';
import type { AccountChannelRecord } from '#lib/alerting/configure/account-channels.ts';
import type { DefaultPolicyRecord } from '#lib/alerting/configure/default-policy.ts';
import type { Monitor as MonitorRecord } from '#lib/alerting/configure/monitors.ts';
import type { ChannelRecord, PolicyRecord } from '#lib/alerting/configure/policy-schemas.ts';
import type { TestedChannel as TestedRecord } from '#lib/alerting/configure/preview.ts';
import type { rotaView } from '#lib/alerting/configure/rotas.ts';
import type { MadeSilence, SilenceRecord } from '#lib/alerting/configure/silences.ts';
import type { WindowRecord } from '#lib/alerting/configure/windows.ts';
import type { TransitionRecord } from '#lib/alerting/decide/transition.ts';
import type { Explanation as ExplanationRecord } from '#lib/alerting/explain/explanation.ts';
import type { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import type { Blueprint as BlueprintRecord } from '#lib/catalog/blueprint.ts';
import type { Entity as EntityRecord } from '#lib/catalog/entity.ts';
import type { Field as FieldRecord } from '#lib/catalog/field.ts';
import type { Relation as RelationRecord } from '#lib/catalog/relations/relation.ts';
import type { EntityState } from '#lib/catalog/states.ts';
import type { AssertionResultList } from '#lib/checks/assertions/evaluate.ts';
import type { CheckRecord } from '#lib/checks/settings/check-record.ts';
import type { GapRecord } from '#lib/history/results/gaps.ts';
import type { CheckBucket as Bucket, BucketSize } from '#lib/history/rollups/buckets.ts';
import type { checkHistoryRecords } from '#lib/history/rollups/history-routes.ts';
import type { MeasuredSlo as MeasuredRecord, SloRecord } from '#lib/history/slos/slo.ts';
import type { Expected } from '#lib/history/status/check-detail.ts';
import type { Health as HealthRecord } from '#lib/history/status/service-health.ts';
import type { Status as StatusRecord } from '#lib/history/status/status.ts';
import type { MeWithUse } from '#lib/identity/me.ts';
import type {
  IncidentDetail as IncidentDetailRecord,
  IncidentRecord as IncidentInList,
} from '#lib/incidents/incident.ts';
import type { PublicUpdate as PublicUpdateRecord } from '#lib/incidents/public-updates.ts';
import type { TimelineEntry as IncidentEntry } from '#lib/incidents/timeline.ts';
import type { Skill as SkillRecord, ToolDefinition } from '#lib/mcp/skills/skill.ts';
import type { BadgeRecord } from '#lib/public/badges/badge.ts';
import type { StatusPageRecord } from '#lib/public/pages/status-page.ts';
import type { SubscriberRecord } from '#lib/public/pages/subscribers.ts';
import type { ReportEntity as ReportEntityRecord } from '#lib/report/report.ts';
import type { PingRecord } from '#lib/results/pings/ping-item.ts';
import type { ResultRecord } from '#lib/results/result-record.ts';

/** Types of the API responses, from lib/. Only types are imported, so this file adds no code of lib/ to the page. */
export type Me = z.output<typeof MeWithUse>;
export type Health = HealthRecord;
export type Status = StatusRecord;
export type StatusEntity = Status['entities'][number];
export type State = EntityState;
export type Transition = TransitionRecord;
export type TransitionCause = Transition['cause'];
export type SkipReason = NonNullable<Transition['alert']['reason']>;

export type Blueprint = BlueprintRecord;
export type Field = FieldRecord;
export type Entity = EntityRecord;
export type Relation = RelationRecord;

/** A check in any response. The schema of its type defines further settings, such as target_url of http. */
export type Check = CheckRecord;

/** A check in a list with `last_result=true`. */
export type ListedCheck = Check & { stale: boolean; last_result?: ResultRecord | null };

/** A check by id; `Expected` belongs to push checks only. */
export type CheckDetail = ListedCheck & { last_checked_at: string | null } & Partial<Expected> & { ping_url?: string };
export type Ping = PingRecord;

export type Result = ResultRecord;
export type Gap = z.output<typeof GapRecord>;
export type Policy = PolicyRecord;
export type Channel = ChannelRecord;
export type AccountChannel = AccountChannelRecord;
/** Response to creating a monitor. */
export type Monitor = z.output<typeof MonitorRecord>;
export type TestedChannel = z.output<typeof TestedRecord>;
export type DefaultPolicy = z.output<typeof DefaultPolicyRecord>;
export type Silence = z.output<typeof SilenceRecord>;
export type StatusPage = z.infer<typeof StatusPageRecord>;
export type StatusSubscriber = z.infer<typeof SubscriberRecord>;
export type Rota = ReturnType<typeof rotaView>;
export type Shift = Rota['next'];
export type IncidentRecord = IncidentInList;
export type IncidentDetail = IncidentDetailRecord;
export type TimelineEntry = IncidentEntry;
export type PublicUpdate = PublicUpdateRecord;
export type MaintenanceWindow = WindowRecord;
/** Part of the response to creating or changing an account channel, silence, or window. */
export type WithNotice = Pick<z.output<typeof MadeSilence>, 'notice'>;
export type Explanation = ExplanationRecord;
/** A channel of the account or of one check. */
export type ListedChannel = ChannelRecord | AccountChannelRecord;
export type Delivery = DeliveryRecord;
export type DeliveryKind = Delivery['kind'];

export type CheckBucket = Bucket;
export type CheckHistory = { bucket: BucketSize; from: string; to: string; total: CheckBucket; buckets: CheckBucket[] };

export type ReportEntity = ReportEntityRecord;

export type Badge = z.output<typeof BadgeRecord>;
export type Slo = z.output<typeof SloRecord>;
export type MeasuredSlo = z.output<typeof MeasuredRecord>;

/** Response of `GET /v1/history?entity_id=…`: a history per check. */
export type CheckHistories = { checks: Awaited<ReturnType<typeof checkHistoryRecords>> };

/** Result of a settings test; check types add properties. */
export type SettingsTestResult = Pick<
  Result,
  'outcome' | 'success' | 'status_code' | 'latency_ms' | 'error_message' | 'warning_message'
> & {
  error_kind: string | null;
  assertions: z.output<typeof AssertionResultList>;
  [more: string]: unknown;
};

/** Result of a manual run. */
export type CheckRun = Result & { check_state: Check['state'] };

export type Action = ActionRecord;
export type Execution = ExecutionRecord;
export type LogLine = LogLineRecord;
export type Skill = SkillRecord;
export type Tool = ToolDefinition;
