import type { Alert } from '#lib/channels/alert.ts';
import { type ChannelResponse, type ChannelType, channelRedactor, type Send } from '#lib/channels/channel-type.ts';
import type { Letter, LetterRefusal } from '#lib/channels/mail-client.ts';
import type { Ports } from '#lib/env.ts';
import { failureReason, isRedirect, isSuccess } from '#lib/net/http-status.ts';
import { type Egress, type HttpReply, NetError } from '#lib/net/net.ts';
import type { Redact } from '#lib/platform/secrets/redact-secrets.ts';
import { shorten } from '#lib/platform/text.ts';
import { boundedPauseMs, retryAfterMs } from './pacing.ts';

/**
 * Publishes on the operator's NATS and waits until the server has taken it. Throws an Error in plain words. Only the
 * deliverer has one: the client must not weigh on the other functions.
 */
export type Publish = (subject: string, body: string, headers: Record<string, string>) => Promise<void>;

/** Hands a mail to the operator's mail server, with these headers too. Only the deliverer has one, as of NATS. */
export type SendMail = (mail: Letter, headers: Record<string, string>) => Promise<LetterRefusal | undefined>;

export type SendEnv = { ports: Ports; publish?: Publish | undefined; sendMail?: SendMail | undefined };

const TIMEOUT_MS = 10_000;
const REPLY_BYTES = 1024;

/** An alert for a channel, ready to go. */
export type Ready = {
  type: ChannelType;
  config: Record<string, string>;
  alert: Alert;
  /** What the type's `render` made of the alert. */
  send: Send;
  /** Where the account's channels may go. */
  egress: Egress;
};

/**
 * One attempt to send an alert. Answers undefined when the receiver has taken it, else what was wrong, in words that
 * help and hold no secret of the channel. Throws only on a fault of the service.
 */
export async function sendAlert(
  env: SendEnv,
  { type, config, alert, send, egress }: Ready,
): Promise<Refusal | undefined> {
  const marks = { 'X-Service-Delivery': alert.delivery_id, 'X-Service-Kind': alert.kind };
  const redact = channelRedactor(type, config);
  const wrong = await sendBy(env, { type, send, egress, tenant_id: alert.event.tenant_id }, marks, redact);
  return wrong && { ...wrong, error: shorten(redact(wrong.error), 500) };
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

/** Why a receiver did not take an alert; `retry_after_ms` when it asked to be sent less (429). */
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
    const said = type.refused?.(answerOf(reply));
    if (isSuccess(reply.status) && !said) return undefined;
    const error = refusalText(said ? { ...reply, body: said.message } : reply, redact);
    if (said?.retry_after_ms !== undefined) return { error, retry_after_ms: boundedPauseMs(said.retry_after_ms) };
    return refused(reply.status, error, reply.headers['retry-after']);
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    // What its status says holds, whatever becomes of the rest of its answer.
    if (isSuccess(error.status)) return undefined;
    return { ...refused(error.status, error.message, undefined), timed_out: error.kind === 'timeout' };
  }

  function refused(status: number, error: string, retryAfter: string | undefined): Refusal {
    return status === 429 ? { error, retry_after_ms: retryAfterMs(retryAfter, ports.clock.now()) } : { error };
  }
}

/** More characters than this may be an answer that was cut off: none takes more than four bytes. */
const SURELY_WHOLE = REPLY_BYTES / 4 - 1;

function refusalText({ status, body }: HttpReply, redact: Redact): string {
  const answer = failureReason('the receiver', status, "the channel's url");
  if (isRedirect(status)) return answer;
  // Before it is shortened: half of a secret would not be found any more.
  const said = redact(body, body.length > SURELY_WHOLE)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return said ? `${answer}: ${shorten(said, 200)}` : answer;
}

/** An answer as the channel types look at it. */
function answerOf({ status, body }: HttpReply): ChannelResponse {
  try {
    const json: unknown = JSON.parse(body);
    if (typeof json === 'object' && json !== null) return { status, body, json: json as Record<string, unknown> };
  } catch {
    // No JSON, or one that was cut off: its type may still know it by how it begins.
  }
  return { status, body, json: {} };
}

/** How long a mail server is left alone that asks for patience. */
const MAIL_PAUSE_MS = 60_000;

async function mail(env: SendEnv, letter: Letter, marks: Record<string, string>): Promise<Refusal | undefined> {
  if (!env.sendMail) return { error: 'this service sends no mail; its operator sets SMTP_URL and MAIL_FROM' };
  const wrong = await env.sendMail(letter, marks);
  if (!wrong) return undefined;
  const { later, ...refusal } = wrong;
  return later ? { ...refusal, retry_after_ms: MAIL_PAUSE_MS } : refusal;
}

async function publish(
  env: SendEnv,
  send: Send & { via: 'nats' },
  marks: Record<string, string>,
  tenant_id: string,
): Promise<Refusal | undefined> {
  if (!env.publish) return { error: 'this service has no NATS server; its operator sets one with NATS_URL' };
  try {
    const prefix = env.ports.settings.NATS_SUBJECT_PREFIX.replaceAll('{tenant_id}', tenant_id);
    await env.publish(prefix + send.subject, send.body, marks);
    return undefined;
  } catch (error) {
    return { error: (error as Error).message };
  }
}
