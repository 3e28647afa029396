import type { Log } from '#lib/platform/ports.ts';

/** For all of it: connection, greeting, TLS, user, letter. */
const TIMEOUT_MS = 10_000;

/** Loaded with the first mail: a service without mail channels does without it. */
const client = () => import('nodemailer');

/** A letter as it goes out, without its sender. Ids are as in `Message-ID`, without brackets and host. */
export type Letter = {
  to: string[];
  subject: string;
  text: string;
  html: string;
  id: string;
  thread: string;
  date: number;
  unsubscribe_url: string | null;
  headers: Record<string, string>;
};

/** Why a letter was not taken, in words that the account may read. `later`: the server asks for patience (4xx). */
export type LetterRefusal = { error: string; later?: boolean; timed_out?: boolean };

/**
 * Hands letters to the operator's mail server; a connection a letter, as alerts are few. A user and a password never
 * go out in the clear: without TLS from the start (smtps), STARTTLS has to be there, with a certificate that can be
 * trusted. Without a user STARTTLS is taken where it is offered, but by the machine itself.
 * @param settings SMTP_URL: `smtp://` (port 587) or `smtps://` (465), with `user:password@` or without; MAIL_FROM
 */
export function mailSender(settings: { SMTP_URL: string; MAIL_FROM: string }, log: Log, timeoutMs = TIMEOUT_MS) {
  const { SMTP_URL, MAIL_FROM } = settings;
  const options = {
    ...connectionOf(SMTP_URL),
    ...timeOuts(timeoutMs),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const host = /@([^@>\s]+)>?$/.exec(MAIL_FROM)?.[1] ?? 'localhost';
  const idOf = (id: string): string => `<${id}@${host}>`;
  return async (letter: Letter, headers: Record<string, string>): Promise<LetterRefusal | undefined> => {
    const { createTransport } = await client();
    const transport = createTransport(options);
    const { to, subject, text, html, id, thread, date, unsubscribe_url } = letter;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(Object.assign(new Error('no end in time'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    );
    try {
      const sent = transport.sendMail({
        from: MAIL_FROM,
        to,
        subject,
        text,
        html,
        date: new Date(date),
        messageId: idOf(id),
        inReplyTo: idOf(thread),
        references: idOf(thread),
        headers: { ...letter.headers, ...headers, 'List-Unsubscribe': unsubscribe(MAIL_FROM, id, unsubscribe_url) },
      });
      await Promise.race([sent, late]);
      return undefined;
    } catch (error) {
      // Without what the letter says, and without what the connection is made with.
      const { code, responseCode, response, command, message } = error as SmtpError;
      log.warn('the mail server did not take a mail', { code, responseCode, response, command, error: message });
      return inWords(error as SmtpError);
    } finally {
      clearTimeout(timer);
      transport.close();
    }
  };
}

/** RFC 2369: whoever runs the service is told, or it is done on the page of the check. */
function unsubscribe(from: string, id: string, url: string | null): string {
  const address = /<([^>]+)>$/.exec(from)?.[1] ?? from;
  const mailto = `<mailto:${address}?subject=${encodeURIComponent(`Unsubscribe ${id}`)}>`;
  return url === null ? mailto : `<${url}>, ${mailto}`;
}

const timeOuts = (ms: number) => ({ connectionTimeout: ms, greetingTimeout: ms, socketTimeout: ms, dnsTimeout: ms });

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

const OPERATOR = 'the operator of this service finds the cause in its log';

/** The server's own words only where they are about the address or the letter: all else is the operator's business. */
function inWords({ code, responseCode = 0, response = '' }: SmtpError): LetterRefusal {
  if (code === 'ETIMEDOUT') {
    return { error: `the mail server of this service did not answer in time; ${OPERATOR}`, timed_out: true };
  }
  if (code === 'EAUTH') return { error: `the mail server did not let this service in; ${OPERATOR} (SMTP_URL)` };
  const later = responseCode >= 400 && responseCode < 500;
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    const said = response.replace(/[\p{Cc}\s]+/gu, ' ').trim();
    return { error: `the mail server refused the mail: ${said || 'it did not say why'}`, ...(later && { later }) };
  }
  if (later) return { error: 'the mail server asks to try again later', later };
  return { error: `the mail server of this service could not be reached, or not safely; ${OPERATOR}` };
}
