import type { Rota } from '#console/api/records.ts';
import { GONE_CHANNEL, namesById, type StepRecipient } from './escalation.ts';
import type { FormSchema } from './form-fields.ts';

/** Returns the form schema of a rota. @param channels of the account @param zone default time zone @param today date */
export function rotaSchema(channels: readonly StepRecipient[], zone: string, today: string, rota?: Rota): FormSchema {
  const stored = rota?.members.flatMap(({ channel_ids }) => channel_ids) ?? [];
  const titles = namesById(channels, stored, GONE_CHANNEL);
  return {
    required: ['name', 'members'],
    properties: {
      name: { type: 'string', description: 'Name of the rota.' },
      handover: {
        type: 'object',
        properties: {
          every: {
            type: 'string',
            title: 'Hand-over',
            enum: ['week', 'day'],
            titles: { week: 'weekly', day: 'daily' },
            description: 'Length of a shift.',
            default: 'week',
          },
          at: { type: 'string', title: 'Time of day', description: 'Local time, HH:MM.', default: '09:00' },
        },
      },
      time_zone: { type: 'string', description: 'Time zone of the hand-over.', default: zone },
      starts_on: {
        type: 'string',
        description: 'Date of the first hand-over. A weekly hand-over keeps its weekday.',
        default: today,
      },
      members: {
        type: 'array',
        title: 'People',
        description: 'In the order of their shifts.',
        items: {
          required: ['name', 'channel_ids'],
          properties: {
            name: { type: 'string', title: 'Person' },
            channel_ids: {
              type: 'array',
              title: 'Channels',
              description: 'Account channels that notify the person.',
              items: { type: 'string', enum: Object.keys(titles), titles },
            },
          },
        },
      },
    },
  };
}

/** Returns the form schema of an override. @param from default start @param to default end; ISO 8601 */
export const overrideSchema = ({ members }: Rota, from: string, to: string): FormSchema => ({
  required: ['member'],
  properties: {
    member: { type: 'string', title: 'Person', enum: members.map(({ name }) => name) },
    starts_at: { type: 'string', format: 'date-time', title: 'Start', default: from },
    ends_at: { type: 'string', format: 'date-time', title: 'End', default: to },
  },
});
