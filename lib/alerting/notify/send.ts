import type { Alert } from '#lib/channels/alert.ts';
import { type ChannelResponse, type ChannelType, channelRedactor, type Send } from '#lib/channels/channel-type.ts';
import type { Letter, LetterRefusal } from '#lib/channels/mail-client.ts';
import type { Ports } from '#lib/env.ts';
import { failureReason, is3xx, isSuccess } from '#lib/net/http-status.ts';
import { type Egress, type HttpReply, NetError } from '#lib/net/net.ts';
import type { Redact } from '#lib/platform/secrets/redact-secrets.ts';
import { shorten } from '#lib/platform/text.ts';
import { boundedPauseMs, retryAfterMs } from './pacing.ts';

/** Publishes on NATS. Throws a readable Error. Only in the deliverer, to keep the client out of other bundles. */
export type Publish = (subject: string, body: string, headers: Record<string, string>) => Promise<void>;

/** Sends a mail with these headers through the operator's mail server. Only the deliverer has one. */
export type SendMail = (mail: Letter, headers: Record<string, string>) => Promise<LetterRefusal | undefined>;

export type SendEnv = { ports: Ports; publish?: Publish | undefined; sendMail?: SendMail | undefined };

const TIMEOUT_MS = 10_000;
const REPLY_BYTES = 1024;

/** An alert for a channel, ready to go. */
export type Ready = {
  type: ChannelType;
  config: Record<string, string>;
  alert: Alert;
  send: Send;
  egress: Egress;
  /** Destination of the channel, and the limit of its account. */
  destination: string;
  alerts_per_minute: number;
};

/** Makes one attempt. Returns a readable error without secrets if it was refused; throws only internal errors. */
export async function sendAlert(
  env: SendEnv,
  { type, config, alert, send, egress }: Pick<Ready, 'type' | 'config' | 'alert' | 'send' | 'egress'>,
): Promise<Refusal | undefined> {
  const marks = { 'X-Service-Delivery': alert.delivery_id, 'X-Service-Kind': alert.combined ? 'combined' : alert.kind };
  const redact = channelRedactor(type, config);
  const refusal = await sendBy(env, { type, send, egress, tenant_id: alert.event.tenant_id }, marks, redact);
  return refusal && { ...refusal, error: shorten(redact(refusal.error), 500) };
}

function sendBy(
  env: SendEnv,
  { type, send, egress, tenant_id }: Pick<Ready, 'type' | 'send' | 'egress'> & { tenant_id: string },
  marks: Record<string, string>,
  redact: Redact,
): Promise<Refusal | undefined> {
  switch (send.via) {
    case 'http':
      return post(env.ports, type, send, marks, redact, egress);
    case 'nats':
      return publish(env, send, marks, tenant_id);
    case 'smtp':
      return mail(env, send.mail, marks);
  }
}

/** A refused alert; `retry_after_ms` if the receiver limits the rate (429). */
type Refusal = { error: string; retry_after_ms?: number; timed_out?: boolean };

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

/** Pause in ms after a mail server asked to try later. */
const MAIL_PAUSE_MS = 60_000;

async function mail(env: SendEnv, letter: Letter, marks: Record<string, string>): Promise<Refusal | undefined> {
  if (!env.sendMail) return { error: 'mail is not configured; the operator must set SMTP_URL and MAIL_FROM' };
  const refused = await env.sendMail(letter, marks);
  if (!refused) return undefined;
  const { later, ...refusal } = refused;
  return later ? { ...refusal, retry_after_ms: MAIL_PAUSE_MS } : refusal;
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
