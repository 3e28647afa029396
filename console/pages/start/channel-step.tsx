import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { Channel, Check } from '#console/api/records.ts';
import { schemas } from '#console/api/schemas.ts';
import { setQuery } from '#console/app/router.ts';
import { SelectField } from '#console/parts/field.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { bodyOf } from '#console/rules/form-draft.ts';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { Calls } from './calls.tsx';
import { UseExisting } from './use-existing.tsx';

const TYPES = Object.entries(schemas.channels).map(([value, { title }]) => ({ value, label: title }));
const titleOf = ({ channel_type }: Channel): string => schemas.channels[channel_type]?.title ?? channel_type;

/** Step that adds a channel to the check. */
export function ChannelStep({ check }: { check: Check }) {
  const [type, choose] = useState(TYPES[0]!.value);
  const policy = useLoad<{ channels: Channel[] }>(`/v1/checks/${check.id}/policy`);
  return (
    <>
      <UseExisting with={policy.data?.channels} nameOf={titleOf} onChoose={({ id }) => setQuery({ channel: id })} />
      <div class="fields">
        <SelectField
          label="Type"
          value={type}
          options={TYPES}
          hint={schemas.channels[type]!.description}
          onChange={choose}
        />
      </div>
      <ChannelForm key={type} check={check} type={type} />
      <p>
        <a href={`#/checks/${check.id}`}>Skip for now</a>
      </p>
    </>
  );
}

function ChannelForm({ check, type }: { check: Check; type: string }) {
  const specs = fieldsOf(schemas.channels[type]!);
  const path = `/v1/checks/${check.id}/policy/channels`;
  const request = (body: object) => ({ channel_type: type, config: {}, ...body });
  const form = useForm({
    name: `start channel ${check.id} ${type}`,
    specs,
    send: async (body) => {
      const { id } = await call<Channel>('POST', path, request(body));
      setQuery({ channel: id });
    },
  });
  return (
    <div class="step-body">
      <Form form={form} submit="Add channel">
        <FormFields form={form} specs={specs} />
      </Form>
      <Calls of={[{ method: 'POST', path, body: request(bodyOf(specs, form.draft)) }]} />
    </div>
  );
}
