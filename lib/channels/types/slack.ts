import * as z from 'zod';
import { channelUrl, defineChannel } from '#lib/channels/channel-type.ts';
import { messageOf } from '#lib/channels/message.ts';
import { fitted } from '#lib/channels/plain-text.ts';

const MARKS = {
  bad: ':red_circle:',
  warn: ':large_yellow_circle:',
  good: ':large_green_circle:',
  neutral: ':white_circle:',
};

/** Maximum length of the text of a section (https://api.slack.com/reference/block-kit/blocks#section). */
const MAX_TEXT = 3000;

export const slack = defineChannel({
  type: 'slack',
  title: 'Slack',
  about: 'Posts a message to an incoming webhook of Slack, or of a service with the same format.',
  via: 'http',
  read_by: 'people',
  config: z.strictObject({
    url: channelUrl(['https:', 'http:']).describe('Address of the incoming webhook; it is a secret.'),
  }),
  secrets: ['url'],
  render(alert, config) {
    const { title, mood, lead, facts, why, note, links } = messageOf(alert, config);
    const headline = `${MARKS[mood]} ${escaped(title)}`;
    const blocks = [
      section(`*${headline}*`),
      ...(lead ? [section(fitted(lead, MAX_TEXT, alert.combined ? withLinks : escaped))] : []),
      ...(facts.length > 0
        ? [{ type: 'section', fields: facts.map(([label, value]) => text(`*${label}*\n${escaped(value)}`)) }]
        : []),
      ...(why ? [section(`*Why*\n${escaped(why)}`)] : []),
      ...(links.length > 0 ? [section(links.map(linked).join('  ·  '))] : []),
      ...(note ? [{ type: 'context', elements: [text(escaped(note))] }] : []),
    ];
    return {
      via: 'http',
      url: config.url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: headline, blocks, unfurl_links: false, unfurl_media: false }),
    };
  },
  examples: {
    valid: [{ url: 'https://hooks.slack.com/services/T0/B0/abc' }, { url: 'http://chat.lan:8065/hooks/abc' }],
    invalid: [
      { value: {}, path: 'url' },
      { value: { url: 'ftp://hooks.slack.com/' }, path: 'url' },
      { value: { url: 'https://hooks.slack.com/', channel: '#ops' }, path: 'channel' },
    ],
  },
});

/** Escapes Slack's three control characters, which also prevents mentions. */
const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Escapes a text and makes its URLs links, which Slack does not do in a verbatim text. */
const withLinks = (value: string): string => escaped(value).replace(/https?:\/\/[^\s|…]+/g, '<$&>');

/** Formats a link; a button would require an app that handles clicks. */
const linked = ([label, url]: [string, string]): string =>
  `<${escaped(url.replaceAll('>', '%3E').replaceAll('|', '%7C'))}|${escaped(label)}>`;

const text = (value: string) => ({ type: 'mrkdwn', text: value, verbatim: true });
const section = (value: string) => ({ type: 'section', text: text(value) });
