import { channelTypeOf } from '#lib/channels/registry.ts';
import { examples } from './example-alerts.ts';

/** The request that a type of channel makes of an alert. */
export const render = (type: string, alert = examples.state_change, more: Record<string, string> = {}) => {
  const send = channelTypeOf(type)!.render(alert, { url: 'https://hooks.test/abc', ...more });
  if (send.via !== 'http') throw new Error(`${type} is not sent over HTTP`);
  return send;
};

export const json = (type: string, alert = examples.state_change) => JSON.parse(render(type, alert).body);

/** As a receiver of RFC 2047 reads it: the space between two encoded words is no part of the text. */
export const decoded = (header: string): string =>
  header
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/g, (_word, base64) => Buffer.from(base64, 'base64').toString('utf8'));
