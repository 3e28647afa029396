import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { Trigger } from './action-item.ts';

/** Verdict of a remediation (docs/use/remediation.md#verification). */
const ExecutionVerdict = z.enum(['recovered', 'not_recovered', 'already_healthy', 'unverified']);

export const PipelineStatus = z.enum(['queued', 'running', 'succeeded', 'failed']);
export type PipelineStatus = z.infer<typeof PipelineStatus>;

/** Execution of an action as the API shows it (docs/use/actions.md#executions). */
export const ExecutionRecord = z
  .object({
    id: IdOf('the execution; {{execution_id}} in templates'),
    action_id: IdOf('the action'),
    trigger: Trigger.describe('Trigger of the execution.'),
    dispatch_status: z
      .enum(['pending', 'success', 'failed', 'blocked', 'skipped'])
      .describe(
        'pending: in progress. success: 2xx response. failed: other or no response. blocked: destination not allowed. skipped: stopped by a guard (error_message).',
      ),
    status_code: z.int().describe('HTTP status code; 0 without a response.'),
    latency_ms: z.int().describe('Duration of the request in milliseconds.'),
    response_snippet: z
      .string()
      .describe(
        `First 4 KB of the response body, without header values of the action; ${REDACTED} without write access.`,
      ),
    error_message: z.string().describe('Human-readable error; empty without an error.'),
    pipeline_status: PipelineStatus.nullable().describe('Status last reported by the pipeline; null before a report.'),
    log_count: z.int().describe('Number of reported log lines, at most 1,000.'),
    transition_id: z.string().nullable().describe('Id of the transition that fired it; null without one.'),
    attempt: z
      .int()
      .nullable()
      .describe('Number of the attempt in a remediation series, from 1; null for other executions.'),
    verdict: ExecutionVerdict.nullable().describe(
      'recovered: the check recovered. not_recovered: it did not. already_healthy: it had recovered before. unverified: not monitored. Null before the verdict.',
    ),
    verified_at: z.iso.datetime().nullable().describe('Time of the verdict; null before it.'),
    verified_by: z.string().nullable().describe('Id of the result that decided; null without one.'),
    created_at: CreatedAt,
    finished_at: z.iso.datetime().nullable().describe('Time of the end of the request; null while pending.'),
  })
  .meta({ id: 'Execution' });
export type ExecutionRecord = z.infer<typeof ExecutionRecord>;

/** Stored execution, written before it is sent, so that it is sent at most once. 0.5 KB and a snippet of 4 KB. */
export type ExecutionItem = Item &
  ExecutionRecord & {
    v: string;
    tenant_id: string;
    /** Epoch ms from which a pending execution counts as interrupted. */
    give_up_at: number;
    /** Only for remediation: time of the last pipeline status report before the verdict (epoch ms). */
    reported_at?: number;
    /** Caller of a manual execution; `tool`: the MCP tool used. */
    called_by?: { user_id: string; key_id: string; tool?: string };
  };

/** Pointer in the history of an action. About 150 bytes. */
export type RunPointer = Item & { execution_id: string };

/** Log lines of one report, numbered from `seq`. At most 200 KB. */
export type LogItem = Item & { seq: number; lines: string[]; reported_at: string };

/** Returns the execution as the caller may see it; without write access, response and URLs are redacted. */
export const executionRecord = ({ caller }: Pick<Context, 'caller'>, item: ExecutionItem): ExecutionRecord =>
  pick(ExecutionRecord, {
    ...item,
    ...(!seesSecrets(caller) && {
      response_snippet: item.response_snippet && REDACTED,
      error_message: redactUrls(item.error_message),
    }),
  });
