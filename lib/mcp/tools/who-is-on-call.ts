import * as z from 'zod';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { onCallAt, type Shift } from '#lib/alerting/policy/rotas.ts';
import { iso } from '#lib/platform/time.ts';
import { defineTool } from './tool.ts';

export const whoIsOnCall = defineTool({
  description:
    'Person on call in each rota now, with the end of the shift and the channels that notify the person, and the next shift.',
  input: z.strictObject({}),
  run: async (context) => {
    const { rotas, channels } = await readAlerting(context, context.tenant);
    const shiftOf = ({ from, to, member, override, channel_ids }: Shift) => ({
      member,
      from: iso(from),
      to: iso(to),
      override,
      // Ids of deleted channels remain in a rota, but notify no person.
      channels: channels
        .filter(({ id }) => channel_ids.includes(id))
        .map(({ id, name, channel_type, enabled }) => ({ id, name, channel_type, enabled })),
    });
    return {
      rotas: rotas.map((rota) => {
        const { current, next } = onCallAt(rota, context.ports.clock.now());
        return {
          id: rota.id,
          name: rota.name,
          time_zone: rota.time_zone,
          on_call: shiftOf(current),
          next: shiftOf(next),
        };
      }),
    };
  },
});
