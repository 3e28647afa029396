import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { Blueprint, Field } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Empty } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { moved } from '#console/rules/field-order.ts';
import { count } from '#console/rules/words.ts';
import { FieldDialog, fieldPath } from './field-form.tsx';

type FieldsProps = {
  blueprint: Blueprint;
  entities: number;
  onChanged: () => void;
};

export function Fields({ blueprint, entities, onChanged }: FieldsProps) {
  const [edited, edit] = useState<Field | 'new' | undefined>(undefined);
  const [removed, setRemoved] = useState<Field | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const { slug, fields } = blueprint;
  const why = refusal('write');

  function changed() {
    edit(undefined);
    onChanged();
    // The fields determine which values and defaults of an entity are shown.
    void live.refresh();
  }

  async function move(name: string, step: -1 | 1) {
    setBusy(true);
    try {
      for (const field of moved(fields, name, step)) await call('PUT', fieldPath(slug, field.name), field);
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
      changed();
    }
  }

  const moveButton = (field: Field, step: -1 | 1) => {
    const isEnd = fields.at(step === -1 ? 0 : -1) === field;
    return (
      <Button
        small
        quiet
        icon={step === -1 ? 'sortUp' : 'sortDown'}
        label={`Move ${field.name} ${step === -1 ? 'up' : 'down'}`}
        busy={busy}
        why={why ?? (isEnd ? `It is the ${step === -1 ? 'first' : 'last'} field.` : undefined)}
        onClick={() => void move(field.name, step)}
      />
    );
  };

  const columns: Column<Field>[] = [
    { head: 'Name', grow: true, cell: ({ name }) => <strong dir="auto">{name}</strong> },
    { head: 'Type', cell: ({ field_type }) => field_type },
    { head: 'Required', onlyWide: true, cell: ({ required }) => (required ? 'yes' : 'no') },
    {
      head: 'Default',
      onlyWide: true,
      cell: ({ default_value }) =>
        default_value === undefined ? (
          <span class="hint">none</span>
        ) : (
          <code class="cut" title={default_value}>
            {default_value}
          </code>
        ),
    },
    {
      head: 'Actions',
      cell: (field) => (
        <span class="field-actions">
          {moveButton(field, -1)}
          {moveButton(field, 1)}
          <Button small why={why} label={`Edit ${field.name}`} onClick={() => edit(field)}>
            Edit
          </Button>
          <Button small quiet icon="close" why={why} label={`Remove ${field.name}`} onClick={() => setRemoved(field)} />
        </span>
      ),
    },
  ];

  return (
    <>
      <div class="filters">
        <Button icon="add" kind="main" why={why} onClick={() => edit('new')}>
          New field
        </Button>
        <span class="hint">Forms and tables show fields in this order.</span>
      </div>
      {fields.length > 0 ? (
        <Table label="Fields" rows={fields} columns={columns} keyOf={({ name }) => name} />
      ) : (
        <Empty help="blueprints" title="No fields yet">
          <p>Add a field for each further property of an entity, such as its owner or runbook.</p>
        </Empty>
      )}
      {edited && (
        <FieldDialog
          blueprint={slug}
          field={edited === 'new' ? undefined : edited}
          onSaved={changed}
          onClose={() => edit(undefined)}
        />
      )}
      {removed && (
        <Confirm
          title={`Remove ${removed.name}?`}
          action={`Remove ${removed.name}`}
          onClose={() => setRemoved(undefined)}
          run={async () => {
            await call('DELETE', fieldPath(slug, removed.name));
            showToast(`The field ${removed.name} is removed.`);
            changed();
          }}
        >
          <p>
            This hides its values in {count(entities, 'entity', 'entities')}. Each value is deleted at the next change
            of its entity.
          </p>
        </Confirm>
      )}
    </>
  );
}
