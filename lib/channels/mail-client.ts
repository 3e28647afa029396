import type { Log } from '#lib/platform/ports.ts';

/** Timeout of a whole attempt, from the connection to the mail server until it accepts the mail. */
const TIMEOUT_MS = 10_000;

/** Loaded with the first mail, because many installations have no mail channels. */
const client = () => import('nodemailer');

/** Mail without its sender. Ids are for `Message-ID`, without brackets and host; `thread` is null for a single mail. */
export type Letter = {
  to: string[];
  subject: string;
  text: string;
  html: string;
  id: string;
  thread: string | null;
  date: number;
  headers: Record<string, string>;
};

/** Reason why a mail was not sent. `error`: text for users. `later`: the mail server requests a retry (4xx). */
export type LetterRefusal = { error: string; later?: boolean; timed_out?: boolean };

/**
 * Returns a function that sends mails through the operator's mail server, one connection per mail: alerts are few.
 * Credentials are only sent with TLS: smtps (default port 465), or STARTTLS (587) with a trusted certificate. Without
 * credentials STARTTLS is used if offered, except on loopback.
 */
export function mailSender(settings: { SMTP_URL: string; MAIL_FROM: string }, log: Log, timeoutMs = TIMEOUT_MS) {
  const { SMTP_URL, MAIL_FROM } = settings;
  const options = {
    ...connectionOf(SMTP_URL),
    ...timeouts(timeoutMs),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const host = /@([^@>\s]+)>?$/.exec(MAIL_FROM)?.[1] ?? 'localhost';
  const idOf = (id: string): string => `<${id}@${host}>`;
  return async (letter: Letter, headers: Record<string, string>): Promise<LetterRefusal | undefined> => {
    const { createTransport } = await client();
    const transport = createTransport(options);
    const { to, subject, text, html, id, thread, date } = letter;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })), timeoutMs);
    try {
      const sent = transport.sendMail({
        from: MAIL_FROM,
        to,
        subject,
        text,
        html,
        date: new Date(date),
        messageId: idOf(id),
        ...(thread !== null && { inReplyTo: idOf(thread), references: idOf(thread) }),
        headers: { ...letter.headers, ...headers },
      });
      await Promise.race([sent, late]);
      return undefined;
    } catch (error) {
      // Logs neither the content of the mail nor credentials.
      const { code, responseCode, response, command, message } = error as SmtpError;
      log.warn('mail not accepted by the mail server', { code, responseCode, response, command, error: message });
      return refusalOf(error as SmtpError);
    } finally {
      clearTimeout(timer);
      transport.close();
    }
  };
}

const timeouts = (ms: number) => ({ connectionTimeout: ms, greetingTimeout: ms, socketTimeout: ms, dnsTimeout: ms });

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function connectionOf(text: string) {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  const [user, pass] = [url.username, url.password].map(decodeURIComponent);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && user !== '',
    ignoreTLS: !secure && user === '' && LOOPBACK.test(url.hostname),
    tls: { minVersion: 'TLSv1.2' as const },
    ...(user && { auth: { user, pass: pass ?? '' } }),
  };
}

type SmtpError = Error & { code?: string; responseCode?: number; response?: string; command?: string };

const OPERATOR = 'the operator of this service can find the cause in its log';

/** Quotes the mail server only if it rejects the address or mail, because other causes concern only the operator. */
function refusalOf({ code, responseCode = 0, response = '' }: SmtpError): LetterRefusal {
  if (code === 'ETIMEDOUT') {
    return { error: `the mail server of this service did not respond in time; ${OPERATOR}`, timed_out: true };
  }
  if (code === 'EAUTH') return { error: `the mail server rejected the login of this service; ${OPERATOR} (SMTP_URL)` };
  const later = responseCode >= 400 && responseCode < 500;
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    const reason = response.replace(/[\p{Cc}\s]+/gu, ' ').trim();
    return { error: `the mail server rejected the mail: ${reason || 'no reason given'}`, ...(later && { later }) };
  }
  if (later) return { error: 'the mail server requested a later retry', later };
  return { error: `the mail server of this service could not be reached, or not with TLS; ${OPERATOR}` };
}
