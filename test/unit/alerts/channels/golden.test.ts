import { expect, it } from 'vitest';
import { channelTypes } from '#lib/alerts/channels/registry.ts';
import { examples } from './example-alerts.ts';

const nice = (body: string): string => (body.startsWith('{') ? JSON.stringify(JSON.parse(body), null, 2) : body);

/** To read what people and machines get, and to see in a review what a change makes of it. */
it.each(channelTypes.map((type) => [type.type, type] as const))(
  '%s says what stands in its page',
  async (name, type) => {
    const pages = Object.entries(examples).map(([kind, alert]) => {
      const send = type.render(alert, type.examples.valid[0]!);
      const head =
        send.via === 'http'
          ? [`POST ${send.url}`, ...Object.entries(send.headers).map(([header, value]) => `${header}: ${value}`)]
          : [`PUB ${send.subject}`];
      return [`=== ${kind}`, ...head, '', nice(send.body)].join('\n');
    });
    await expect(`${pages.join('\n\n')}\n`).toMatchFileSnapshot(`golden/${name}.txt`);
  },
);
