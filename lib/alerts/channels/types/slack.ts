import * as z from 'zod';
import { channelUrl, defineChannel } from '#lib/alerts/channels/channel-type.ts';
import { messageOf } from '#lib/alerts/deliver/message.ts';

const MARKS = {
  bad: ':red_circle:',
  warn: ':large_yellow_circle:',
  good: ':large_green_circle:',
  neutral: ':white_circle:',
};

/** Posts to an incoming webhook of Slack, or of anything that speaks its format. */
export const slack = defineChannel({
  type: 'slack',
  title: 'Slack',
  about: 'Posts a message to an incoming webhook of Slack, or of anything that takes its format, such as Mattermost.',
  via: 'http',
  config: z.strictObject({
    url: channelUrl(['https:', 'http:']).describe('Address of the incoming webhook; it is a secret.'),
  }),
  secrets: ['url'],
  render(alert, config) {
    const { title, mood, facts, why, note } = messageOf(alert);
    const headline = `${MARKS[mood]} ${escaped(title)}`;
    const blocks = [
      section(`*${headline}*`),
      { type: 'section', fields: facts.map(([label, value]) => text(`*${label}*\n${escaped(value)}`)) },
      ...(why ? [section(`*Why*\n${escaped(why)}`)] : []),
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

/** Slack's own three control characters; with them escaped, a text cannot mention people or channels. */
const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const text = (value: string) => ({ type: 'mrkdwn', text: value, verbatim: true });
const section = (value: string) => ({ type: 'section', text: text(value) });
