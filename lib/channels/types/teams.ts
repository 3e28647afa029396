import * as z from 'zod';
import { channelUrl, defineChannel } from '#lib/channels/channel-type.ts';
import { messageOf } from '#lib/channels/message.ts';
import { fitted } from '#lib/channels/plain-text.ts';

const STYLES = { bad: 'attention', warn: 'warning', good: 'good', neutral: 'default' };
// 28 KB per message: learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook
const MAX_LEAD_BYTES = 16_000;

/** Posts an Adaptive Card to Teams: to the webhook of a workflow, or to an incoming webhook. */
export const teams = defineChannel({
  type: 'teams',
  title: 'Microsoft Teams',
  about:
    'Posts an Adaptive Card to a channel or chat of Microsoft Teams, by a workflow triggered by a Teams webhook request.',
  via: 'http',
  read_by: 'people',
  config: z.strictObject({
    url: channelUrl(['https:']).describe(
      'Address of the workflow: in Teams, Workflows, "Send webhook alerts to a channel"; it is a secret.',
    ),
  }),
  secrets: ['url'],
  render(alert, config) {
    const { title, mood, lead, facts, why, note, links } = messageOf(alert, config);
    const card = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      // Text of the notification.
      fallbackText: title,
      msteams: { width: 'Full' },
      body: [
        {
          type: 'Container',
          style: STYLES[mood],
          bleed: true,
          items: [text(plain(title), { size: 'Medium', weight: 'Bolder' })],
        },
        ...(lead ? [text(fitted(lead, MAX_LEAD_BYTES, plain, Buffer.byteLength))] : []),
        ...(facts.length > 0
          ? [{ type: 'FactSet', facts: facts.map(([name, value]) => ({ title: name, value: plain(value) })) }]
          : []),
        ...(why ? [text(plain(why), { fontType: 'Monospace' })] : []),
        ...(note ? [text(plain(note), { isSubtle: true, size: 'Small' })] : []),
      ],
      ...(links.length > 0 && { actions: links.map(([name, url]) => ({ type: 'Action.OpenUrl', title: name, url })) }),
    };
    return {
      via: 'http',
      url: config.url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'message',
        attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
      }),
    };
  },
  // An incoming webhook reports an error with 200, and the status in its text.
  refused({ status, body }) {
    const inside = /returned HTTP error (\d{3})/i.exec(body)?.[1];
    if (status >= 300 || inside === undefined) return undefined;
    return { message: body, ...(inside === '429' && { retry_after_ms: 1000 }) };
  },
  examples: {
    valid: [
      {
        url: 'https://default0a1b.2c.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/abc/triggers/manual/paths/invoke?sig=s3cret',
      },
    ],
    invalid: [
      { value: {}, path: 'url' },
      { value: { url: 'http://example.com/hook' }, path: 'url' },
      { value: { url: 'https://example.com/hook', channel: 'ops' }, path: 'channel' },
    ],
  },
});

const text = (value: string, more: Record<string, unknown> = {}) => ({
  type: 'TextBlock',
  text: value,
  wrap: true,
  ...more,
});

/** Escapes the markdown of a TextBlock: emphasis, links, lists and mentions. */
const plain = (value: string): string =>
  value
    .replace(/[\\*[\]`~<>|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&')
    .replace(/^(\s*)([-+#]|\d+\.)(?=\s)/gm, '$1\\$2');
