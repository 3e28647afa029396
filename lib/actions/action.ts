import * as z from 'zod';
import { READER, seesSecrets } from '#lib/access/redaction.ts';
import { AllowedHosts } from '#lib/actions/template/allowed-hosts.ts';
import type { Audited } from '#lib/audit/write.ts';
import { HeaderMap } from '#lib/net/header-map.ts';
import { invalid } from '#lib/platform/errors.ts';
import type { Rights } from '#lib/platform/http/access.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { refusal } from '#lib/platform/http/validation.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { REDACTED, withKeptSecrets } from '#lib/platform/secrets/kept-secrets.ts';
import { hasPlaceholder } from '#lib/platform/template.ts';
import { Name } from '#lib/platform/text.ts';
import { type ActionItem, HttpMethod, Remediation, Trigger, TriggerState } from './action-item.ts';

const MAX_URL = 2048;
const MAX_HEADER_VALUE = 4096;
const MAX_TEMPLATE_BYTES = 16 * 1024;
const MAX_INTERVAL_SECONDS = 31 * 86_400;

const NO_PLACEHOLDERS = 'must not contain {{placeholders}}; use them in url and body_template';

const REQUEST = { 'x-group': 'Request' };

const Headers = HeaderMap.superRefine((headers, context) => {
  for (const [name, value] of Object.entries(headers)) {
    const wrong = (message: string) => context.addIssue({ code: 'custom', path: [name], message });
    if (value.length > MAX_HEADER_VALUE) wrong(`must have at most ${MAX_HEADER_VALUE} characters`);
    if (hasPlaceholder(name) || hasPlaceholder(value)) wrong(NO_PLACEHOLDERS);
  }
})
  .describe(`Request headers, at most 20. Put secrets here: values are always shown as ${REDACTED}.`)
  .meta(REQUEST);

const fields = {
  name: Name.describe('Name of the action; {{action_name}} in templates.'),
  url: z
    .string()
    .min(1)
    .max(MAX_URL)
    .regex(/^[^\s\p{Cc}]*$/u, 'must not contain blanks or control characters')
    .describe(
      'http or https URL of a public host, with {{placeholders}}. Before the path, values are limited to letters, digits, "." and "-", except a base URL at the start.',
    ),
  method: HttpMethod.describe('Request method.'),
  headers: Headers,
  body_template: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= MAX_TEMPLATE_BYTES, `must have at most ${MAX_TEMPLATE_BYTES} bytes`)
    .describe('Request body, with {{placeholders}}. Not sent with GET.')
    .meta({ title: 'Body' }),
  allowed_hosts: AllowedHosts.describe(
    'Hosts that the action is allowed to call, such as *.example.com; empty: any. Required with headers if the host has a placeholder, unless the host ends with a fixed domain, such as .example.com.',
  ).meta(REQUEST),
  trigger_type: Trigger.describe(
    'manual: only by POST …/run or an MCP tool. state_change: also when its check changes state. schedule: also every interval_seconds.',
  ).meta({ title: 'Trigger' }),
  check_id: z
    .string()
    .describe('Check whose transitions fire the action; required for state_change.')
    .meta({ title: 'Check' }),
  trigger_to_state: TriggerState.describe('Target state that fires the action; empty: any.').meta({ title: 'State' }),
  interval_seconds: z
    .int()
    .min(60)
    .max(MAX_INTERVAL_SECONDS)
    .describe('Time between executions; required for schedule.'),
  timeout_ms: z.int().min(100).max(15_000).describe('Timeout of the whole request. Default: 10 seconds.').meta(REQUEST),
  remediation: Remediation.nullable()
    .describe('Guards, verification by the results of the check, and further attempts. Default: none.')
    .meta({ title: 'Verify and repeat' }),
};

export const NewAction = z
  .object({
    ...fields,
    method: fields.method.default('POST'),
    headers: fields.headers.default({}),
    body_template: fields.body_template.default(''),
    allowed_hosts: fields.allowed_hosts.default([]),
    check_id: fields.check_id.nullable().default(null),
    trigger_to_state: fields.trigger_to_state.default(''),
    interval_seconds: fields.interval_seconds.nullable().default(null),
    timeout_ms: fields.timeout_ms.default(10_000),
    remediation: fields.remediation.default(null),
  })
  .meta({ id: 'NewAction' });
export type ActionInput = z.infer<typeof NewAction>;

/** Partial update; headers are replaced as a map. `id` is accepted unchanged, so that a record can be sent back. */
export const ActionPatch = z
  .object({ ...fields, id: Unchanged })
  .partial()
  .meta({ id: 'ActionPatch' });
export type ActionPatch = z.infer<typeof ActionPatch>;

export const ActionRecord = z
  .object({
    id: IdOf('the action'),
    ...fields,
    allowed_hosts: z.array(z.string()).describe('Hosts that the action is allowed to call; empty: any.'),
    headers: z.record(z.string(), z.string()).describe(`Request headers; every value is shown as ${REDACTED}.`),
    check_id: fields.check_id.nullable(),
    interval_seconds: fields.interval_seconds.nullable(),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Action' });
export type ActionRecord = z.infer<typeof ActionRecord>;

/** Returns the action as the caller may see it: without header values; URL and hosts only if they may see secrets. */
export const actionRecord = ({ caller }: { caller: Rights }, action: ActionItem): ActionRecord =>
  pick(ActionRecord, {
    ...action,
    headers: Object.fromEntries(Object.keys(action.headers).map((name) => [name, REDACTED])),
    ...(!seesSecrets(caller) && { url: REDACTED, allowed_hosts: action.allowed_hosts.map(() => REDACTED) }),
  });

const ActionSettings = ActionRecord.omit({ id: true, created_at: true, updated_at: true });

export const auditedAction: Audited<ActionItem> = {
  type: 'action',
  target: ({ id, name, check_id }) => ({ id, name, within: check_id === null ? [] : [check_id] }),
  properties: (action) => pick(ActionSettings, action),
  shown: (action) => pick(ActionSettings, actionRecord({ caller: READER }, action)),
};

/** Throws VALIDATION_ERROR if a property that the trigger requires is missing. */
export function assertComplete(input: Pick<ActionInput, 'trigger_type' | 'check_id' | 'interval_seconds'>): void {
  if (input.trigger_type === 'state_change' && input.check_id === null) {
    throw invalid('check_id', 'is required with the trigger_type state_change');
  }
  if (input.trigger_type === 'schedule' && input.interval_seconds === null) {
    throw invalid('interval_seconds', 'is required with the trigger_type schedule');
  }
}

/** Throws VALIDATION_ERROR for each header that would keep its stored value after a change of the origin. */
export function assertHeadersSent(stored: Record<string, string>, wanted: Record<string, string> | undefined): void {
  const kept = Object.keys(stored).length === 0 ? [] : wanted ? keptNames(wanted) : [undefined];
  if (kept.length === 0) return;
  const message = 'must be sent again, with its value, because the action could call another origin than before';
  throw refusal(kept.map((name) => ({ path: name === undefined ? 'headers' : `headers.${name}`, message })));
}

const keptNames = (headers: Record<string, string>): string[] =>
  Object.keys(headers).filter((name) => headers[name] === REDACTED);

/** Replaces each redacted value by the stored one; names match in any case. Throws VALIDATION_ERROR without one. */
export function withStoredValues(
  stored: Record<string, string>,
  wanted: Record<string, string>,
): Record<string, string> {
  const secrets = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  return withKeptSecrets('headers', wanted, (name) => secrets.get(name.toLowerCase()));
}
