import { call } from '#console/api/call.ts';
import type { AccountChannel, WithNotice } from '#console/api/records.ts';
import { showToast, showWarning } from '#console/app/toasts.tsx';
import { ChannelForm } from '#console/parts/channel-form.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';
import { selectorOf, selectorSchema, typedSelector } from '#console/rules/selector.ts';
import { blueprintsInUse } from './selector-text.tsx';

const schemaOf = (blueprints: readonly string[]): FormSchema => {
  const { properties, ...selector } = selectorSchema(blueprints);
  const states = {
    type: 'array',
    title: 'States',
    items: { type: 'string', enum: ['down', 'degraded', 'up'] },
    description: 'States that the channel is notified of. None selected: all.',
  };
  return {
    properties: {
      name: { type: 'string', description: 'Name in lists.' },
      enabled: { type: 'boolean', description: 'Whether the channel receives alerts.', default: true },
      applies_to: { ...selector, 'x-group': 'Applies to', properties: { ...properties, states } },
    },
    required: ['name'],
  };
};

const formRecord = (channel: AccountChannel) => ({ ...channel, applies_to: typedSelector(channel.applies_to) });

type FormProps = {
  channel?: AccountChannel;
  onSaved: () => void;
  onCancel: () => void;
};

/** Form of an account channel, with the checks whose alerts it receives. */
export const AccountChannelForm = ({ channel, onSaved, onCancel }: FormProps) => (
  <ChannelForm
    name={channel ? `account channel ${channel.id}` : 'new account channel'}
    submit={channel ? 'Save channel' : 'Add channel'}
    more={schemaOf(blueprintsInUse())}
    {...(channel && { channel: formRecord(channel) })}
    send={async (body) => {
      const sent = { ...body, applies_to: selectorOf(body.applies_to) };
      const { notice } = channel
        ? await call<WithNotice>('PUT', `/v1/notify/channels/${channel.id}`, sent)
        : await call<WithNotice>('POST', '/v1/notify/channels', sent);
      showToast(channel ? 'The channel is changed.' : 'The channel is added. Send a test to verify it.');
      if (notice) showWarning(notice);
      onSaved();
    }}
    onCancel={onCancel}
  />
);
