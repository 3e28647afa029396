import { channelTypeOf } from '#lib/channels/registry.ts';
import { examples } from './example-alerts.ts';

/** Request of a channel type for an alert. */
export const render = (type: string, alert = examples.state_change, more: Record<string, string> = {}) => {
  const send = channelTypeOf(type)!.render(alert, { url: 'https://hooks.test/abc', ...more });
  if (send.via !== 'http') throw new Error(`${type} is not sent over HTTP`);
  return send;
};

export const json = (type: string, alert = examples.state_change) => JSON.parse(render(type, alert).body);

/** Decodes as RFC 2047: the space between two encoded words is not part of the text. */
export const decoded = (header: string): string =>
  header
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/g, (_word, base64) => Buffer.from(base64, 'base64').toString('utf8'));
