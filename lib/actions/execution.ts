import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { Trigger } from './action-item.ts';

/** What came of a remediation (docs/use/remediation.md#verification). */
const ExecutionVerdict = z.enum(['recovered', 'not_recovered', 'already_healthy', 'unverified']);

export const PipelineStatus = z.enum(['queued', 'running', 'succeeded', 'failed']);
export type PipelineStatus = z.infer<typeof PipelineStatus>;

/** One run of an action on the wire (docs/use/actions.md#executions). */
export const ExecutionRecord = z
  .object({
    id: IdOf('the execution, {{execution_id}}'),
    action_id: IdOf('the action'),
    trigger: Trigger.describe('What started it.'),
    dispatch_status: z
      .enum(['pending', 'success', 'failed', 'blocked', 'skipped'])
      .describe(
        'pending: on its way. success: the answer was 2xx. failed: another answer or none. blocked: not sent, as it may not go there. skipped: not sent, as a guard of its remediation stopped it; error_message begins with its name.',
      ),
    status_code: z.int().describe('0 when there was no answer.'),
    latency_ms: z.int().describe('How long the request took, in milliseconds.'),
    response_snippet: z
      .string()
      .describe(`The first 4 KB of the answer, without the action's header values; ${REDACTED} with a read-only key.`),
    error_message: z.string().describe('Empty when none.'),
    pipeline_status: PipelineStatus.nullable().describe('As reported last; null until then.'),
    log_count: z.int().describe('Log lines that were reported; at most 1,000.'),
    transition_id: z.string().nullable().describe('Of the transition that fired it.'),
    attempt: z.int().nullable().describe('Its number in the series of a remediation, from 1; null of all other runs.'),
    verdict: ExecutionVerdict.nullable().describe(
      'Of a remediation, once it is known. recovered: the check is well by it. not_recovered: it is not. already_healthy: it had recovered before. unverified: the check was not watched then.',
    ),
    verified_at: z.iso.datetime().nullable().describe('When the verdict was made; null until then.'),
    verified_by: z.string().nullable().describe('Id of the result that decided; null where none did.'),
    created_at: CreatedAt,
    finished_at: z.iso.datetime().nullable().describe('When the answer was there; null while pending.'),
  })
  .meta({ id: 'Execution' });
export type ExecutionRecord = z.infer<typeof ExecutionRecord>;

/**
 * A run as stored: written before it is sent, so that it is sent once, and again with what came of it.
 * 0.5 KB and the snippet of at most 4 KB.
 */
export type ExecutionItem = Item &
  ExecutionRecord & {
    v: string;
    tenant_id: string;
    /** Epoch ms: still pending then, it was cut off. */
    give_up_at: number;
    /** Of a remediation: epoch ms of the last status that its pipeline reported. */
    reported_at?: number;
    /** The caller of a manual run; `tool`: the MCP tool that was called for it. */
    called_by?: { user_id: string; key_id: string; tool?: string };
  };

/** In the history of its action. About 150 bytes. */
export type RunPointer = Item & { execution_id: string };

/** Lines of one report, numbered from `seq` on. At most 200 KB. */
export type LogItem = Item & { seq: number; lines: string[]; reported_at: string };

/** A run as the caller may see it: a read-only key sees nothing of the answer, and no URL in its error. */
export const executionRecord = ({ caller }: Pick<Context, 'caller'>, item: ExecutionItem): ExecutionRecord =>
  pick(ExecutionRecord, {
    ...item,
    ...(!seesSecrets(caller) && {
      response_snippet: item.response_snippet && REDACTED,
      error_message: redactUrls(item.error_message),
    }),
  });
