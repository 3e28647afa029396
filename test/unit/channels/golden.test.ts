import { expect, it } from 'vitest';
import type { Send } from '#lib/channels/channel-type.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import { examples } from './example-alerts.ts';

const prettyPrinted = (body: string): string =>
  body.startsWith('{')
    ? JSON.stringify(JSON.parse(body), null, 2)
    : body.replace(/^To=.*/, (form) => form.split('&').map(decodeURIComponent).join('\n'));

const headersOf = (headers: Record<string, string>): string[] =>
  Object.entries(headers).map(([header, value]) => `${header}: ${value}`);

function pageOf(send: Send): string[] {
  switch (send.via) {
    case 'http':
      return [`${send.method ?? 'POST'} ${send.url}`, ...headersOf(send.headers), '', prettyPrinted(send.body)];
    case 'nats':
      return [`PUB ${send.subject}`, '', prettyPrinted(send.body)];
    case 'smtp': {
      const { to, subject, id, thread, headers, text, html } = send.mail;
      const head = { to: to.join(', '), subject, 'message-id': id, references: thread ?? '', ...headers };
      return [...headersOf(head), '', text, html];
    }
  }
}

/**
 * One type per kind of message: rich text, mail, JSON, pager, plain text. Reviewers read these pages after a change of
 * texts.
 */
it.each(['slack', 'email', 'webhook', 'pagerduty', 'telegram'])('%s matches its golden page', async (name) => {
  const type = channelTypeOf(name)!;
  const pages = Object.entries(examples).map(([kind, alert]) =>
    [`=== ${kind}`, ...pageOf(type.render(alert, type.examples.valid[0]!))].join('\n'),
  );
  await expect(`${pages.join('\n\n')}\n`).toMatchFileSnapshot(`golden/${name}.txt`);
});
