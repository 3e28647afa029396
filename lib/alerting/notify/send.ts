import type { AccountItem } from '#lib/access/account.ts';
import type { Alert } from '#lib/channels/alert.ts';
import { type ChannelResponse, type ChannelType, channelRedactor, type Send } from '#lib/channels/channel-type.ts';
import type { Letter } from '#lib/channels/mail-client.ts';
import type { Ports } from '#lib/env.ts';
import { failureReason, is3xx, isSuccess } from '#lib/net/http-status.ts';
import { type Egress, type HttpReply, NetError } from '#lib/net/net.ts';
import type { Redact } from '#lib/platform/secrets/redact-secrets.ts';
import { shorten } from '#lib/platform/text.ts';
import { boundedPauseMs, retryAfterMs } from './pacing.ts';

/** Publishes on NATS. Throws a readable Error. Only in the deliverer, to keep the client out of other bundles. */
export type Publish = (subject: string, body: string, headers: Record<string, string>) => Promise<void>;

/**
 * A refused alert. `retry_after_ms`: the receiver limits the rate (429). `limited_ms`: time until a limit of the
 * service allows the message. `final`: no attempt can succeed. `partly`: it reached some of the addresses.
 */
export type Refusal = {
  error: string;
  retry_after_ms?: number;
  limited_ms?: number;
  timed_out?: boolean;
  final?: boolean;
  partly?: boolean;
};

export const NO_MAIL = 'mail is not configured; the operator must set SMTP_URL and MAIL_FROM';

/** Sends a mail to its confirmed addresses. Only in the deliverer, to keep it out of other bundles. */
export type Mail = (
  letter: Letter,
  account: AccountItem,
  marks: Record<string, string>,
) => Promise<Refusal | undefined>;

export type SendEnv = { ports: Ports; publish?: Publish | undefined; mail?: Mail | undefined };

const TIMEOUT_MS = 10_000;
const REPLY_BYTES = 1024;

export type Ready = {
  type: ChannelType;
  config: Record<string, string>;
  alert: Alert;
  send: Send;
  egress: Egress;
  account: AccountItem;
  destination: string;
};

/** Makes one attempt. Returns a readable error without secrets if it was refused; throws only internal errors. */
export async function sendAlert(
  env: SendEnv,
  { type, config, alert, send, egress, account }: Omit<Ready, 'destination'>,
): Promise<Refusal | undefined> {
  const marks = { 'X-Service-Delivery': alert.delivery_id, 'X-Service-Kind': alert.combined ? 'combined' : alert.kind };
  const redact = channelRedactor(type, config);
  const refusal = await sendBy(env, { type, send, egress, account }, marks, redact);
  return refusal && { ...refusal, error: shorten(redact(refusal.error), 500) };
}

function sendBy(
  env: SendEnv,
  { type, send, egress, account }: Pick<Ready, 'type' | 'send' | 'egress' | 'account'>,
  marks: Record<string, string>,
  redact: Redact,
): Promise<Refusal | undefined> {
  switch (send.via) {
    case 'http':
      return post(env.ports, type, send, marks, redact, egress);
    case 'nats':
      return publish(env, send, marks, account.id);
    case 'smtp':
      return env.mail ? env.mail(send.mail, account, marks) : Promise.resolve({ error: NO_MAIL });
  }
}

async function post(
  ports: Ports,
  type: ChannelType,
  send: Send & { via: 'http' },
  marks: Record<string, string>,
  redact: Redact,
  egress: Egress,
): Promise<Refusal | undefined> {
  try {
    const reply = await ports.net.http({
      url: send.url,
      method: send.method ?? 'POST',
      headers: { ...send.headers, ...marks },
      body: send.body,
      timeout_ms: TIMEOUT_MS,
      max_body_bytes: REPLY_BYTES,
      egress,
      max_redirects: 0,
    });
    const said = type.refused?.(channelResponseOf(reply));
    if (isSuccess(reply.status) && !said) return undefined;
    const error = refusalText(said ? { ...reply, body: said.message } : reply, redact);
    if (said?.retry_after_ms !== undefined) return { error, retry_after_ms: boundedPauseMs(said.retry_after_ms) };
    return refused(reply.status, error, reply.headers['retry-after']);
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    // A success status counts even if reading the body failed.
    if (isSuccess(error.status)) return undefined;
    return { ...refused(error.status, error.message, undefined), timed_out: error.kind === 'timeout' };
  }

  function refused(status: number, error: string, retryAfter: string | undefined): Refusal {
    return status === 429 ? { error, retry_after_ms: retryAfterMs(retryAfter, ports.clock.now()) } : { error };
  }
}

/** Maximum number of characters in a body that is surely not truncated: each takes up to four bytes. */
const SURELY_COMPLETE = REPLY_BYTES / 4 - 1;

function refusalText({ status, body }: HttpReply, redact: Redact): string {
  const reason = failureReason('the receiver', status, "the channel's url");
  if (is3xx(status)) return reason;
  // Redact before shortening: half of a secret would not be found.
  const said = redact(body, body.length > SURELY_COMPLETE)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return said ? `${reason}: ${shorten(said, 200)}` : reason;
}

function channelResponseOf({ status, body }: HttpReply): ChannelResponse {
  try {
    const json: unknown = JSON.parse(body);
    if (typeof json === 'object' && json !== null) return { status, body, json: json as Record<string, unknown> };
  } catch {
    // No JSON, or truncated: the type can still recognize its beginning.
  }
  return { status, body, json: {} };
}

async function publish(
  env: SendEnv,
  send: Send & { via: 'nats' },
  marks: Record<string, string>,
  tenant_id: string,
): Promise<Refusal | undefined> {
  if (!env.publish) return { error: 'NATS is not configured; the operator must set NATS_URL' };
  try {
    const prefix = env.ports.settings.NATS_SUBJECT_PREFIX.replaceAll('{tenant_id}', tenant_id);
    await env.publish(prefix + send.subject, send.body, marks);
    return undefined;
  } catch (error) {
    return { error: (error as Error).message };
  }
}
