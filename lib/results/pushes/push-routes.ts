import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { assertCheckAllowed } from '#lib/access/restriction.ts';
import { retentionStart } from '#lib/access/retention.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { AppError, invalid } from '#lib/platform/errors.ts';
import { route } from '#lib/platform/http/route.ts';
import { Instant } from '#lib/platform/instant.ts';
import { iso } from '#lib/platform/time.ts';
import { MAX_FUTURE_MS } from '#lib/results/result.ts';
import { ResultRecord, resultRecord } from '#lib/results/result-record.ts';
import { type Push, receivePush } from './receive-push.ts';

const endpoint = route<StateContext>();

const MAX_MESSAGE = 1000;

const message = (meaning: string) =>
  z
    .string()
    .describe(`${meaning} Truncated to 1,000 characters.`)
    .default('')
    .transform((text) => [...text].slice(0, MAX_MESSAGE).join(''));

/** Result as a program posts it (docs/use/heartbeats.md#results-and-heartbeats-with-a-key). */
const PushResult = z
  .object({
    success: z.boolean().describe('Whether the check succeeded.'),
    latency_ms: z.int().min(0).max(86_400_000).describe('Latency in milliseconds.'),
    error_message: message('Human-readable error.'),
    warning_message: message('Human-readable warning; makes a success a warning.'),
    checked_at: Instant.describe(
      'Time of the check, ISO 8601. At most a minute ahead and within the retention of results. Default: now.',
    ).optional(),
    status_code: z.int().min(0).max(999_999).describe('Status code, such as an exit code.').default(0),
  })
  .meta({ id: 'NewResult' });

const PushHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must have 1 to 255 visible ASCII characters')
    .optional()
    .describe(
      'A push whose key was received before returns the first result and is not counted again, so retries are safe.',
    ),
});

/** Throws CONFLICT for a probed check, before the body is read (docs/api/errors.md#order-of-validation). */
async function requirePushCheck(context: Context, id: string): Promise<CheckItem> {
  const check = await requireCheck(context, id);
  assertCheckAllowed(context.caller, check);
  if (check.execution_mode === 'push') return check;
  throw new AppError(
    'CONFLICT',
    `Check ${id} is a ${check.check_type} check, which the service probes; only push checks accept results.`,
  );
}

function identityOf(headers: Record<string, string | undefined>, fallback: string | undefined): Push['identity'] {
  const key = headers['idempotency-key'];
  if (key !== undefined) return { kind: 'key', text: key };
  return fallback === undefined ? undefined : { kind: 'body', text: fallback };
}

function checkedAtInRange(checkedAt: number | undefined, now: number, retentionDays: number): number | undefined {
  if (checkedAt === undefined) return undefined;
  if (checkedAt > now + MAX_FUTURE_MS) {
    throw invalid('checked_at', `must not be more than a minute in the future; the time of the service is ${iso(now)}`);
  }
  if (checkedAt < retentionStart(now, retentionDays)) {
    throw invalid('checked_at', `must not be older than the retention of results, ${retentionDays} days`);
  }
  return checkedAt;
}

async function receive(context: StateContext, check: CheckItem, push: Push) {
  const { caller } = context;
  return resultRecord(check.id, await receivePush(context, check, push, caller.retention_days));
}

/** Routes for jobs and programs; the ingest function serves them and pings. */
export const pushRoutes = [
  endpoint({
    method: 'POST',
    path: '/v1/checks/{id}/results',
    access: 'push',
    rate: 'push',
    summary: 'Post a result of a push check',
    description:
      'The result is stored durably before the response, and applied unless it is outdated or the check is disabled.',
    status: 201,
    headers: PushHeaders,
    body: PushResult,
    reply: ResultRecord,
    errors: ['CONFLICT'],
    load: (context, { id }) => requirePushCheck(context, id),
    run: async (context, { loaded, body, headers }) => {
      const checked_at = checkedAtInRange(body.checked_at, context.ports.clock.now(), context.caller.retention_days);
      const identity = identityOf(
        headers,
        checked_at === undefined ? undefined : JSON.stringify({ ...body, checked_at }),
      );
      return receive(context, loaded, { ...body, checked_at, identity, ends: { measured: false } });
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/checks/{id}/heartbeat',
    access: 'push',
    rate: 'push',
    summary: 'Post a heartbeat of a push check',
    description: 'The request body is not read.',
    status: 201,
    headers: PushHeaders,
    reply: ResultRecord,
    errors: ['CONFLICT'],
    load: (context, { id }) => requirePushCheck(context, id),
    run: (context, { loaded, headers }) =>
      receive(context, loaded, {
        success: true,
        latency_ms: 0,
        status_code: 0,
        error_message: '',
        checked_at: undefined,
        identity: identityOf(headers, undefined),
        ends: { measured: true },
      }),
  }),
];
