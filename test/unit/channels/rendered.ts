import { channelTypeOf } from '#lib/channels/registry.ts';
import { examples } from './example-alerts.ts';

/** Renders the request of a channel type for an alert. Throws for a type that is not sent over HTTP. */
export const render = (type: string, alert = examples.state_change, more: Record<string, string> = {}) => {
  const send = channelTypeOf(type)!.render(alert, { url: 'https://hooks.test/abc', ...more });
  if (send.via !== 'http') throw new Error(`${type} is not sent over HTTP`);
  return send;
};

/** Renders the JSON body of the request. */
export const json = (type: string, alert = examples.state_change) => JSON.parse(render(type, alert).body);

/** Decodes a header with encoded words (RFC 2047). A space between two of them is not part of the text. */
export const decoded = (header: string): string =>
  header
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/g, (_word, base64) => Buffer.from(base64, 'base64').toString('utf8'));
