import { call } from '#console/api/call.ts';
import type { AccountChannel, MadeOne } from '#console/api/records.ts';
import { showToast, showWarning } from '#console/app/toasts.tsx';
import { ChannelForm } from '#console/parts/channel-form.tsx';
import type { MemberSchema } from '#console/rules/form-fields.ts';
import { selectorOf, selectorSchema, typedSelector } from '#console/rules/selector.ts';
import { blueprintsInUse } from './selects.tsx';

/** What a channel of the account has beside the settings of its type. */
const schemaOf = (blueprints: readonly string[]): MemberSchema => {
  const { properties, ...selector } = selectorSchema(blueprints);
  const states = {
    type: 'array',
    title: 'That say',
    items: { type: 'string', enum: ['down', 'degraded', 'up'] },
    description: 'Nothing chosen here or above: it gets all alerts of all checks.',
  };
  return {
    properties: {
      name: { type: 'string', description: 'What people call it.' },
      enabled: { type: 'boolean', description: 'It gets alerts.', default: true },
      applies_to: { ...selector, properties: { ...properties, states } },
    },
    required: ['name'],
  };
};

/** As the form has it. */
const typed = (channel: AccountChannel) => ({ ...channel, applies_to: typedSelector(channel.applies_to) });

type FormProps = {
  /** Undefined: a new one. */
  channel?: AccountChannel;
  onSaved: () => void;
  onCancel: () => void;
};

/** A channel of the account, and of which checks it gets the alerts. */
export const AccountChannelForm = ({ channel, onSaved, onCancel }: FormProps) => (
  <ChannelForm
    name={channel ? `account channel ${channel.id}` : 'new account channel'}
    submit={channel ? 'Save channel' : 'Add channel'}
    more={schemaOf(blueprintsInUse())}
    {...(channel && { channel: typed(channel) })}
    send={async (body) => {
      const sent = { ...body, applies_to: selectorOf(body.applies_to) };
      const { notice } = channel
        ? await call<MadeOne>('PUT', `/v1/notify/channels/${channel.id}`, sent)
        : await call<MadeOne>('POST', '/v1/notify/channels', sent);
      showToast(channel ? 'The channel is changed.' : 'The channel is added. A test alert shows that it works.');
      if (notice) showWarning(notice);
      onSaved();
    }}
    onCancel={onCancel}
  />
);
