import { useState } from 'preact/hooks';
import { channelTitle } from '#console/api/check-names.ts';
import { schemas } from '#console/api/schemas.ts';
import type { MemberSchema } from '#console/rules/form-fields.ts';
import { SelectField } from './field.tsx';
import { SchemaForm } from './form/form.tsx';

type ChannelFormProps = {
  /** Names what is typed, so that it is found again. */
  name: string;
  submit: string;
  /** What is changed: its type stays. */
  channel?: { channel_type: string; config: Readonly<Record<string, string>> };
  /** Members beside the settings of its type. */
  more?: MemberSchema;
  send(body: Record<string, unknown>): Promise<unknown>;
  onCancel: () => void;
};

/** A channel, by its type first: the rest of the form is that of the type. */
export function ChannelForm({ name, submit, channel, more, send, onCancel }: ChannelFormProps) {
  const types = Object.keys(schemas.channels);
  const [chosen, choose] = useState(types[0]!);
  const type = channel?.channel_type ?? chosen;
  const schema = schemas.channels[type];
  if (!schema) return <p>This page does not know channels of the type {type}. Load it again.</p>;
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
