import { useState } from 'preact/hooks';
import { channelTitle } from '#console/api/check-names.ts';
import { schemas } from '#console/api/schemas.ts';
import type { FormSchema } from '#console/rules/form-fields.ts';
import { SelectField } from './field.tsx';
import { SchemaForm } from './form/form.tsx';

type ChannelFormProps = {
  name: string;
  submit: string;
  types?: readonly string[];
  /** Existing channel, whose type is fixed; undefined for a new one. */
  channel?: { channel_type: string; config: Readonly<Record<string, string>> };
  more?: FormSchema;
  send(body: Record<string, unknown>): Promise<unknown>;
  onCancel: () => void;
};

export function ChannelForm({
  name,
  submit,
  types = Object.keys(schemas.channels),
  channel,
  more,
  send,
  onCancel,
}: ChannelFormProps) {
  const [chosen, choose] = useState(types[0]!);
  const type = channel?.channel_type ?? chosen;
  const schema = schemas.channels[type];
  if (!schema) return <p>Unknown channel type {type}. Reload the page.</p>;
  return (
    <>
      {!channel && (
        <SelectField
          label="Type"
          value={type}
          onChange={choose}
          options={types.map((value) => ({ value, label: channelTitle(value) }))}
        />
      )}
      <p class="hint">{schema.description}</p>
      <SchemaForm
        key={type}
        name={`${name} ${type}`}
        schema={{
          ...schema,
          properties: { ...schema.properties, ...more?.properties },
          required: [...(more?.required ?? []), ...(schema.required ?? [])],
        }}
        record={channel}
        submit={submit}
        send={(body) => send(channel ? body : { ...body, channel_type: type })}
        onCancel={onCancel}
      />
    </>
  );
}
