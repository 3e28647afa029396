import * as z from 'zod';
import { channelToken, channelUrl, defineChannel } from '#lib/channels/channel-type.ts';
import { messageOf } from '#lib/channels/message.ts';
import { fitted, linesOf } from '#lib/channels/plain-text.ts';

const MARKS = { bad: '🔴', warn: '🟡', good: '🟢', neutral: '⚪' };
// Limits the text, and the lead in HTML. An event has at most 65,536 bytes:
// https://spec.matrix.org/latest/client-server-api/#size-limits
const MAX_BYTES = 16_000;

/** Sends a message to a room of Matrix; the delivery id is the transaction id, so a retry adds no second message. */
export const matrix = defineChannel({
  type: 'matrix',
  title: 'Matrix',
  about:
    'Sends a message to a room of Matrix as a member of the room. In encrypted rooms the message is not encrypted.',
  via: 'http',
  read_by: 'people',
  config: z.strictObject({
    homeserver_url: channelUrl(['https:', 'http:'])
      .refine((text) => !/[?#]/.test(text), 'must be the address of the server, without ? and #')
      .describe('Address of the homeserver, such as https://matrix.example.com.'),
    access_token: channelToken().describe('Access token of the sending user.'),
    room_id: z
      .string()
      .max(255, 'must have at most 255 characters')
      .regex(/^![\x21-\x7e]+$/, 'must be the id of a room, such as !abc:example.com: see its settings, Advanced')
      .describe('Id of the room, which starts with !; the user must be a member.'),
  }),
  secrets: ['homeserver_url', 'access_token', 'room_id'],
  render(alert, config) {
    const message = messageOf(alert, config);
    const { title, mood, lead, facts, why, note, links } = message;
    const base = config.homeserver_url.replace(/\/+$/, '');
    const room = `${base}/_matrix/client/v3/rooms/${encodeURIComponent(config.room_id)}/send/m.room.message`;
    const shownLead = fitted(lead, MAX_BYTES, escaped, Buffer.byteLength);
    const html = [
      `${MARKS[mood]} <strong>${escaped(title)}</strong>`,
      shownLead.replaceAll('\n', '<br>'),
      facts.map(([label, value]) => `${escaped(label)}: ${escaped(value)}`).join('<br>'),
      why && `<code>${escaped(why)}</code>`,
      note && `<em>${escaped(note)}</em>`,
      links.map(([label, url]) => `<a href="${escaped(url)}">${escaped(label)}</a>`).join(' · '),
    ];
    return {
      via: 'http',
      method: 'PUT',
      url: `${room}/${alert.delivery_id}`,
      receiver: room,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${config.access_token}` },
      body: JSON.stringify({
        msgtype: 'm.text',
        body: [`${MARKS[mood]} ${title}`, fitted(linesOf(message).join('\n'), MAX_BYTES, undefined, Buffer.byteLength)]
          .filter(Boolean)
          .join('\n'),
        format: 'org.matrix.custom.html',
        formatted_body: html.filter(Boolean).join('<br>'),
        // Prevents mentions by names, such as @room.
        'm.mentions': {},
      }),
    };
  },
  // {"errcode":"M_LIMIT_EXCEEDED","error":"Too many requests","retry_after_ms":2000}
  refused({ status, json }) {
    if (status < 400 || typeof json.errcode !== 'string') return undefined;
    const { retry_after_ms } = json;
    return {
      message: `${json.errcode} ${json.error ?? ''}`.trim(),
      ...(status === 429 && typeof retry_after_ms === 'number' && { retry_after_ms }),
    };
  },
  examples: {
    valid: [
      { homeserver_url: 'https://matrix.example.com', access_token: 'syt_b3Bz_abc', room_id: '!abc:example.com' },
    ],
    invalid: [
      { value: { access_token: 'a', room_id: '!abc:example.com' }, path: 'homeserver_url' },
      { value: { homeserver_url: 'https://matrix.example.com', room_id: '!abc:example.com' }, path: 'access_token' },
      { value: { homeserver_url: 'https://matrix.example.com', access_token: 'a' }, path: 'room_id' },
      {
        value: { homeserver_url: 'https://matrix.example.com', access_token: 'a', room_id: '#ops:example.com' },
        path: 'room_id',
      },
      {
        value: { homeserver_url: 'https://m.example.com', access_token: 'a', room_id: '!a:b', msgtype: 'm.notice' },
        path: 'msgtype',
      },
    ],
  },
});

const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
