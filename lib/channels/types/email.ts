import * as z from 'zod';
import { foldedEmail } from '#lib/access/account.ts';
import { defineChannel } from '#lib/channels/channel-type.ts';
import type { Letter } from '#lib/channels/mail-client.ts';
import { messageOf, threadKeyOf } from '#lib/channels/message.ts';
import type { Message } from '#lib/channels/message-facts.ts';
import { linesOf } from '#lib/channels/plain-text.ts';

const MAX_ADDRESSES = 10;
/** Maximum length of an address (RFC 5321, section 4.5.3.1). */
const MAX_LENGTH = 254;

/** Headers that prevent automatic responses (RFC 3834). */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** Returns the addresses of the setting `to`, each once. */
export const addressesIn = (list: string): string[] => [
  ...new Map(list.split(',').map((one) => [foldedEmail(one.trim()), one.trim()])).values(),
];

const isAddress = (text: string): boolean => text.length <= MAX_LENGTH && z.email().safeParse(text).success;

export const email = defineChannel({
  type: 'email',
  title: 'E-mail',
  about:
    "Sends mails by the operator's mail server (settings SMTP_URL and MAIL_FROM), as plain text and HTML, one thread per incident or check. Each address receives a mail of its own, after its owner confirmed it.",
  via: 'smtp',
  read_by: 'people',
  config: z.strictObject({
    to: z
      .string()
      .max(1000, 'must have at most 1000 characters')
      .refine(
        (list) => addressesIn(list).every(isAddress),
        'must be an address such as oncall@example.com, or several separated by commas',
      )
      .refine((list) => addressesIn(list).length <= MAX_ADDRESSES, `must have at most ${MAX_ADDRESSES} addresses`)
      .describe(
        'Recipients: 1 to 10 addresses, comma-separated. Each is asked by mail to confirm that it wants alerts.',
      ),
  }),
  secrets: [],
  render(alert, config) {
    const message = messageOf(alert, config);
    const { title } = message;
    const isUrgent = message.mood === 'bad' && alert.urgency === 'high';
    return {
      via: 'smtp',
      mail: {
        to: addressesIn(config.to),
        subject: title,
        text: `${[title, '', ...linesOf(message)].join('\n')}\n`,
        html: page(message),
        id: alert.delivery_id,
        thread: threadKeyOf(alert),
        date: alert.sent_at,
        headers: {
          ...AUTOMATIC,
          ...(isUrgent && { Importance: 'high', 'X-Priority': '1' }),
        },
      },
    };
  },
  examples: {
    valid: [{ to: 'oncall@example.com' }, { to: 'ann@example.com, ben@example.com' }],
    invalid: [
      { value: {}, path: 'to' },
      { value: { to: 'oncall' }, path: 'to' },
      { value: { to: 'a@example.com,' }, path: 'to' },
      { value: { to: `${'a'.repeat(243)}@example.com` }, path: 'to' },
      { value: { to: 'a@example.com\r\nBcc: all@example.com' }, path: 'to' },
      { value: { to: Array.from({ length: 11 }, (_, i) => `a${i}@example.com`).join(',') }, path: 'to' },
      { value: { to: 'a@example.com', cc: 'b@example.com' }, path: 'cc' },
    ],
  },
});

const COLORS = { bad: '#d93025', warn: '#f9ab00', good: '#1e8e3e', neutral: '#80868b' };

function page({ title, mood, lead, facts, why, note, links }: Message): string {
  const row = ([label, value]: [string, string]): string =>
    `<tr><td style="padding:2px 16px 2px 0;opacity:.7">${escaped(label)}</td><td style="padding:2px 0">${escaped(value)}</td></tr>`;
  const link = ([label, url]: [string, string]): string => `<a href="${escaped(url)}">${escaped(label)}</a>`;
  const parts = [
    `<h1 style="font-size:18px;margin:0 0 12px">${escaped(title)}</h1>`,
    lead && `<p style="margin:0 0 12px;white-space:pre-line">${escaped(lead)}</p>`,
    facts.length > 0 && `<table style="border-collapse:collapse;margin:0 0 12px">${facts.map(row).join('')}</table>`,
    why && `<p style="margin:0 0 12px"><b>Why</b> <code>${escaped(why)}</code></p>`,
    links.length > 0 && `<p style="margin:0 0 12px">${links.map(link).join(' &middot; ')}</p>`,
    note && `<p style="margin:0;opacity:.7">${escaped(note)}</p>`,
  ].filter(Boolean);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escaped(title)}</title></head>
<body style="font:14px/1.5 system-ui,sans-serif;margin:16px">
<div style="border-left:4px solid ${COLORS[mood]};padding-left:16px;max-width:640px;overflow-wrap:anywhere">
${parts.join('\n')}
</div>
${END}`;
}

const END = '</body></html>\n';

/** Sender and recipient of a mail. `account`: name of the sending account. `service`: URL of the service. */
type MailParties = { address: string; account: string; service: string; unsubscribe_url: string };

/** Returns the letter for one address, with a footer that no template removes, and RFC 8058 headers to unsubscribe. */
export function addressed(letter: Letter, { address, account, service, unsubscribe_url }: MailParties): Letter {
  const sender = `Sent by the account "${account}" of ${service}.`;
  const foot = `<p style="margin:16px 0 0;font-size:12px;opacity:.7">${escaped(sender)} <a href="${escaped(unsubscribe_url)}">Unsubscribe</a></p>`;
  return {
    ...letter,
    to: [address],
    text: `${letter.text}\n-- \n${sender}\nUnsubscribe: ${unsubscribe_url}\n`,
    html: letter.html.replace(END, () => `${foot}\n${END}`),
    headers: {
      ...letter.headers,
      'List-Unsubscribe': `<${unsubscribe_url}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

/** Request to confirm an address. `by`: person who added it. */
type ConfirmationRequest = MailParties & { by: string; confirm_url: string; id: string; date: number };

/** Returns the mail that asks an address whether it wants alerts. Its text is fixed except for names and links. */
export function confirmationLetter(request: ConfirmationRequest): Letter {
  const { address, account, service, by, confirm_url, id, date } = request;
  const subject = 'Do you want alerts at this address?';
  const asks = `${by} wants to send alerts of the account "${account}" to ${address}.`;
  const [yes, no] = ['To receive them, confirm within 7 days:', 'To receive nothing, do nothing.'];
  const html = page({
    title: subject,
    mood: 'neutral',
    lead: `${asks}\n\n${yes}`,
    facts: [],
    why: '',
    note: no,
    links: [['Confirm this address', confirm_url]],
  });
  const text = `${subject}\n\n${asks}\n\n${yes}\n${confirm_url}\n\n${no}\n`;
  const letter = {
    to: [address],
    subject: `${subject} (${new URL(service).host})`,
    text,
    html,
    id,
    thread: null,
    date,
  };
  return addressed({ ...letter, headers: AUTOMATIC }, request);
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
