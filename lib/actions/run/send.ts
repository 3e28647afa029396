import type { ActionItem } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import { EGRESS } from '#lib/actions/template/allowed-hosts.ts';
import { type Rendered, render } from '#lib/actions/template/template.ts';
import type { Variables } from '#lib/actions/template/variables.ts';
import type { Ports } from '#lib/env.ts';
import { failureReason, isSuccess } from '#lib/net/http-status.ts';
import { type HttpReply, NetError } from '#lib/net/net.ts';
import { headerSecrets } from '#lib/platform/secrets/header-secrets.ts';
import { type Redact, redactorOf } from '#lib/platform/secrets/redact-secrets.ts';
import { NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import type { RunEnv } from './claim.ts';

/** Outcome of an execution. */
export type Dispatched = Pick<
  ExecutionItem,
  'dispatch_status' | 'status_code' | 'latency_ms' | 'response_snippet' | 'error_message'
>;

const SNIPPET_BYTES = 4096;
/** Maximum length of a snippet that is surely not truncated: a character takes at most four bytes. */
const MAX_COMPLETE_LENGTH = SNIPPET_BYTES / 4 - 1;

/** Returns the outcome of an execution that was not sent, or whose response is unknown. */
export const withoutResponse = (
  dispatch_status: 'failed' | 'blocked',
  error_message: string,
  latency_ms = 0,
): Dispatched => ({
  dispatch_status,
  status_code: 0,
  latency_ms,
  response_snippet: '',
  error_message,
});

/** Returns a function that removes the secrets of an action, its header values, from responses. */
export const actionRedactor = (action: Pick<ActionItem, 'headers'>): Redact =>
  redactorOf(headerSecrets(action.headers));

/** Sends the request of an execution and returns its outcome, without secrets of the action; never throws. */
export async function send(env: ExchangeEnv, action: ActionItem, variables: Variables): Promise<Dispatched> {
  const ended = await withPermit(env, action, variables);
  const redact = actionRedactor(action);
  return {
    ...ended,
    response_snippet: redact(ended.response_snippet, ended.response_snippet.length > MAX_COMPLETE_LENGTH),
    error_message: redact(ended.error_message),
  };
}

type ExchangeEnv = Pick<RunEnv, 'ports' | 'permits'>;

async function withPermit(
  { ports, permits }: ExchangeEnv,
  action: ActionItem,
  variables: Variables,
): Promise<Dispatched> {
  const rendered = render(action, variables);
  if (!rendered.ok) return withoutResponse(rendered.status, rendered.error);
  const { request } = rendered;
  if (!permits) return exchange(ports, action, request);
  const permitRequest = { tenant: action.tenant_id, target: URL.parse(request.url)?.host };
  const dispatched = await permits.run(permitRequest, () => exchange(ports, action, request));
  return dispatched === NO_PERMIT ? withoutResponse('failed', NO_PERMIT_MESSAGE) : dispatched;
}

const NO_PERMIT_MESSAGE =
  'not sent: the maximum number of executions to its host or of its account was in progress, and none ended in time';

async function exchange(
  ports: Ports,
  action: ActionItem,
  request: (Rendered & { ok: true })['request'],
): Promise<Dispatched> {
  const started = ports.clock.now();
  try {
    const reply = await ports.net.http({
      ...request,
      timeout_ms: action.timeout_ms,
      max_body_bytes: SNIPPET_BYTES,
      egress: EGRESS,
      max_redirects: 0,
    });
    return outcomeOf(reply);
  } catch (error) {
    const latency_ms = Math.max(0, Math.round(ports.clock.now() - started));
    if (error instanceof NetError) {
      // The status decides, even if the rest of the response is missing; `error_message` then says why it is missing.
      const ended = isSuccess(error.status) ? 'success' : error.kind === 'egress' ? 'blocked' : 'failed';
      return {
        ...withoutResponse('failed', error.message, latency_ms),
        dispatch_status: ended,
        status_code: error.status,
      };
    }
    const { tenant_id, id: action_id } = action;
    ports.log.error('internal error interrupted an execution', { tenant_id, action_id, error });
    return withoutResponse(
      'failed',
      'interrupted by an internal error, which was logged: may have been sent',
      latency_ms,
    );
  }
}

function outcomeOf({ status, body, latency_ms }: HttpReply): Dispatched {
  const success = isSuccess(status);
  return {
    dispatch_status: success ? 'success' : 'failed',
    status_code: status,
    latency_ms,
    response_snippet: body,
    error_message: success ? '' : failureReason('the target', status, "the action's url"),
  };
}
