import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { ActionItem } from '#lib/actions/action-item.ts';
import { type ExecutionItem, ExecutionRecord, type LogItem, PipelineStatus } from '#lib/actions/execution.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { atMost } from '#lib/platform/http/json-size.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { actionRedactor } from './send.ts';

/** Limits of a report and of an execution (docs/use/actions.md#report-from-a-pipeline). */
const MAX_LINES_PER_REPORT = 100;
const MAX_LINES = 1000;
const MAX_LINE_BYTES = 2048;

export const Report = z
  .object({
    status: PipelineStatus.describe('Status of the pipeline; the last report counts.').optional(),
    logs: atMost(
      MAX_LINES_PER_REPORT,
      z.array(z.string().transform((line) => cut(line, MAX_LINE_BYTES))).max(MAX_LINES_PER_REPORT),
      `must have at most ${MAX_LINES_PER_REPORT} lines; send the others in further reports`,
    )
      .describe('Log lines, at most 100; lines over 2 KB are truncated.')
      .optional(),
  })
  .refine(({ status, logs }) => status !== undefined || logs !== undefined, {
    path: ['status'],
    error: 'is required without logs',
  })
  .meta({ id: 'ExecutionReport' });
export type Report = z.infer<typeof Report>;

export const ReportReply = ExecutionRecord.extend({
  logs_dropped: z
    .int()
    .describe(`Number of lines of this report that were not stored, because an execution stores at most ${MAX_LINES}.`),
}).meta({ id: 'ReportedExecution' });

/** Truncates a text to a number of UTF-8 bytes, between two characters. */
export function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  // With `stream`, the decoder drops an incomplete character at the end.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}

/** Number of characters searched for secrets before other work of the event loop can run. */
const SEARCHED_PER_TURN = 8 * 1024;

async function redactLines(action: ActionItem, lines: string[]): Promise<string[]> {
  const redact = actionRedactor(action);
  const redacted: string[] = [];
  let searched = 0;
  for (const line of lines) {
    redacted.push(cut(redact(line, Buffer.byteLength(line) > MAX_LINE_BYTES - 4), MAX_LINE_BYTES));
    searched += line.length;
    if (searched < SEARCHED_PER_TURN) continue;
    searched = 0;
    await yieldToEventLoop();
  }
  return redacted;
}

/** Stores the status and appends lines of a report. Throws LOG_LIMIT if no line fits; the status is stored anyway. */
export async function report(
  { ports, keys, tenant }: Context,
  { id, action }: { id: string; action: ActionItem },
  { status, logs: reported = [] }: Report,
): Promise<{ execution: ExecutionItem; dropped: number }> {
  const logs = await redactLines(action, reported);
  return oneAtATime(ports.table, id, () =>
    retryOnConflict(ports, async () => {
      const present = await ports.table.get<ExecutionItem>(keys.execution(tenant, id));
      if (!present) throw notFound(`Execution ${id}`);
      const room = MAX_LINES - present.log_count;
      const lines = logs.slice(0, room);
      const execution: ExecutionItem = {
        ...present,
        v: ports.ids.token(),
        pipeline_status: status ?? present.pipeline_status,
        log_count: present.log_count + lines.length,
        ...(status && awaitsVerdict(present) && { reported_at: ports.clock.now() }),
      };
      const writes: Write[] = [{ put: execution, if: { version: present.v } }];
      if (lines.length > 0) {
        const seq = present.log_count + 1;
        const put: LogItem = {
          ...keys.logLines(tenant, id, seq),
          ...(present.expires_at !== undefined && { expires_at: present.expires_at }),
          seq,
          lines,
          reported_at: iso(ports.clock.now()),
        };
        writes.push({ put, if: 'absent' });
      }
      const changes = lines.length > 0 || status !== undefined;
      if (changes && !(await commit(ports, writes)).ok) return RETRY;
      if (status === 'failed' && awaitsVerdict(present)) await requestVerdict(ports, execution);
      if (logs.length > 0 && lines.length === 0) throw full();
      return { execution: changes ? execution : present, dropped: logs.length - lines.length };
    }),
  );
}

const awaitsVerdict = ({ attempt, verdict }: ExecutionItem): boolean => attempt !== null && verdict === null;

/** Requests the verdict at once after a failed pipeline. If the message is lost, the deadline requests the verdict. */
const requestVerdict = (ports: Context['ports'], { tenant_id, action_id }: ExecutionItem): Promise<void> =>
  ports.queues.send('action', [{ body: { kind: 'remediation', tenant_id, action_id, early: true }, group: tenant_id }]);

const full = (): AppError =>
  new AppError('LOG_LIMIT', `This execution already has ${MAX_LINES} log lines, the maximum.`);
