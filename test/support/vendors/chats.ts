import * as z from 'zod';
import { atMost, nonEmpty, parsed, Url, type Vendor } from './vendor.ts';

const mrkdwn = (characters: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: nonEmpty(characters), verbatim: z.boolean() });

/** https://docs.slack.dev/reference/block-kit/blocks: 50 blocks, 3,000 characters per text, 10 fields of 2,000. */
const SlackMessage = z.strictObject({
  text: nonEmpty(40_000),
  blocks: z
    .array(
      z.union([
        z.strictObject({ type: z.literal('section'), text: mrkdwn(3000) }),
        z.strictObject({ type: z.literal('section'), fields: z.array(mrkdwn(2000)).min(1).max(10) }),
        z.strictObject({ type: z.literal('context'), elements: z.array(mrkdwn(3000)).min(1).max(10) }),
      ]),
    )
    .max(50),
  unfurl_links: z.boolean(),
  unfurl_media: z.boolean(),
});

export const slack: Vendor = (request) =>
  parsed(SlackMessage, request).wrong ? { status: 400, body: 'invalid_blocks' } : { status: 200, body: 'ok' };

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const DiscordMessage = z.strictObject({
  embeds: z
    .array(
      z
        .strictObject({
          title: nonEmpty(256),
          description: nonEmpty(4096).optional(),
          color: z.int().max(0xffffff),
          fields: z.array(z.strictObject({ name: nonEmpty(256), value: nonEmpty(1024), inline: z.boolean() })).max(25),
          footer: z.strictObject({ text: nonEmpty(2048) }).optional(),
          timestamp: z.iso.datetime(),
        })
        .refine((embed) => [...textsOf(embed)].join('').length <= 6000, 'more than 6000 characters in total'),
    )
    .max(10),
  allowed_mentions: z.strictObject({ parse: z.array(z.string()).max(0) }),
});

const textsOf = (embed: {
  title: string;
  description?: string | undefined;
  fields: { name: string; value: string }[];
}) => [embed.title, embed.description ?? '', ...embed.fields.flatMap(({ name, value }) => [name, value])];

export const discord: Vendor = (request) => {
  const { wrong } = parsed(DiscordMessage, request);
  return wrong ? { status: 400, body: { message: 'Invalid Form Body', code: 50_035, errors: wrong } } : { status: 204 };
};

/** https://adaptivecards.io/schemas/adaptive-card.json, version 1.4, the elements that the service uses. */
const TextBlock = z.strictObject({
  type: z.literal('TextBlock'),
  text: z.string().min(1),
  wrap: z.boolean().optional(),
  size: z.enum(['Small', 'Default', 'Medium', 'Large', 'ExtraLarge']).optional(),
  weight: z.enum(['Lighter', 'Default', 'Bolder']).optional(),
  fontType: z.enum(['Default', 'Monospace']).optional(),
  isSubtle: z.boolean().optional(),
});
const Container = z.strictObject({
  type: z.literal('Container'),
  style: z.enum(['default', 'emphasis', 'good', 'attention', 'warning', 'accent']),
  bleed: z.boolean(),
  items: z.array(TextBlock).min(1),
});
const FactSet = z.strictObject({
  type: z.literal('FactSet'),
  facts: z.array(z.strictObject({ title: z.string(), value: z.string() })).min(1),
});
const TeamsMessage = z.strictObject({
  type: z.literal('message'),
  attachments: z
    .array(
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
          type: z.literal('AdaptiveCard'),
          version: z.literal('1.4'),
          fallbackText: z.string(),
          msteams: z.strictObject({ width: z.literal('Full') }),
          body: z.array(z.union([Container, TextBlock, FactSet])).min(1),
          actions: z
            .array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: nonEmpty(100), url: Url }))
            .max(6)
            .optional(),
        }),
      }),
    )
    .length(1),
});

/** Acts like a workflow of Teams: accepts messages up to 28 KB, with status 202. */
export const teams: Vendor = (request) => {
  if (Buffer.byteLength(request.body) > 28 * 1024) return { status: 413, body: 'Request Entity too large' };
  const { wrong } = parsed(TeamsMessage, request);
  return wrong
    ? { status: 400, body: { error: { code: 'TriggerInputSchemaMismatch', message: wrong.join('; ') } } }
    : { status: 202 };
};

const TelegramMessage = z.strictObject({
  chat_id: z.string(),
  message_thread_id: z.int().optional(),
  text: z.string().min(1),
  parse_mode: z.literal('HTML'),
  link_preview_options: z.strictObject({ is_disabled: z.boolean() }),
  disable_notification: z.boolean(),
});

/**
 * Returns the text of a message without its HTML tags; undefined if a tag is unknown or unpaired, or a character is not
 * escaped. https://core.telegram.org/bots/api#html-style
 */
export function telegramText(html: string): string | undefined {
  const open: string[] = [];
  for (const [, end, name, attributes] of html.matchAll(/<(\/?)(\w+)([^<>]*)>/g)) {
    if (!['b', 'i', 'u', 's', 'a', 'code', 'pre'].includes(name!)) return undefined;
    if (name === 'a' && !end && !/^ href="https?:\/\/[^"<>]+"$/.test(attributes!)) return undefined;
    if (!end) open.push(name!);
    else if (open.pop() !== name) return undefined;
  }
  const text = html.replace(/<\/?\w+[^<>]*>/g, '');
  if (open.length > 0 || /[<>]/.test(text) || /&(?!(?:lt|gt|amp|quot|#\d+);)/.test(text)) return undefined;
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
}

export const telegram =
  (token: string, chat: string): Vendor =>
  (request) => {
    const refused = (error_code: number, description: string) => ({
      status: error_code,
      body: { ok: false, error_code, description },
    });
    if (request.path !== `/bot${token}/sendMessage`) return refused(404, 'Not Found');
    const { data, wrong } = parsed(TelegramMessage, request);
    if (wrong) return refused(400, `Bad Request: ${wrong.join('; ')}`);
    if (data.chat_id !== chat) return refused(400, 'Bad Request: chat not found');
    const text = telegramText(data.text);
    if (text === undefined) return refused(400, "Bad Request: can't parse entities");
    if ([...text].length > 4096) return refused(400, 'Bad Request: message is too long');
    return { status: 200, body: { ok: true, result: { message_id: 1, text, date: 1 } } };
  };

/** https://developers.google.com/workspace/chat/api/reference/rest/v1/cards */
const GoogleWidget = z.union([
  z.strictObject({ textParagraph: z.strictObject({ text: z.string().min(1) }) }),
  z.strictObject({
    decoratedText: z.strictObject({ topLabel: z.string(), text: z.string().min(1), wrapText: z.boolean() }),
  }),
  z.strictObject({
    buttonList: z.strictObject({
      buttons: z
        .array(
          z.strictObject({
            text: z.string().min(1),
            onClick: z.strictObject({ openLink: z.strictObject({ url: Url }) }),
          }),
        )
        .min(1),
    }),
  }),
]);
const GoogleMessage = z.strictObject({
  text: z.string(),
  thread: z.strictObject({ threadKey: nonEmpty(4000) }),
  cardsV2: z
    .array(
      z.strictObject({
        cardId: z.string().min(1),
        card: z.strictObject({ sections: z.array(z.strictObject({ widgets: z.array(GoogleWidget).min(1).max(100) })) }),
      }),
    )
    .optional(),
});

export const googleChat: Vendor = (request) => {
  const refused = (code: number, status: string, message: string) => ({
    status: code,
    body: { error: { code, message, status } },
  });
  if (request.query.get('token') !== 'def')
    return refused(401, 'UNAUTHENTICATED', 'The request is missing a valid token.');
  if (Buffer.byteLength(request.body) > 32_000) return refused(400, 'INVALID_ARGUMENT', 'Message is too long.');
  const { wrong } = parsed(GoogleMessage, request);
  if (wrong) return refused(400, 'INVALID_ARGUMENT', `Invalid JSON payload received. ${wrong.join('; ')}`);
  return { status: 200, body: { name: 'spaces/AAAA/messages/1' } };
};

/** https://docs.mattermost.com/developers/integrate/reference/message-attachments; 16,383 characters per post. */
const MattermostMessage = z.strictObject({
  channel: z.string().optional(),
  attachments: z.array(
    z.strictObject({
      fallback: nonEmpty(16_383),
      color: z.string().regex(/^#[0-9a-f]{6}$/),
      title: nonEmpty(16_383),
      title_link: Url.optional(),
      text: z.string(),
      fields: z.array(z.strictObject({ title: z.string(), value: z.string(), short: z.boolean() })),
      footer: atMost(300).optional(),
    }),
  ),
});

export const mattermost: Vendor = (request) => {
  const { data, wrong } = parsed(MattermostMessage, request);
  const refused = (id: string, message: string) => ({ status: 400, body: { id, message, status_code: 400 } });
  if (wrong) return refused('web.incoming_webhook.parse.app_error', 'Unable to parse incoming data.');
  if (data.channel === 'gone') {
    return refused('web.incoming_webhook.channel.app_error', "Couldn't find the channel.");
  }
  const texts = data.attachments.flatMap(({ title, text, fields }) => [
    title,
    text,
    ...fields.map(({ value }) => value),
  ]);
  if (texts.join('').length > 16_383) return refused('post.is_valid.msg.app_error', 'Invalid message.');
  return { status: 200, body: 'ok' };
};
