import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { Blueprint } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { CopyButton } from '#console/parts/copy-button.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';
import type { PingKeyRecord } from '#lib/results/pings/ping-keys.ts';

const NONE = 'none';

const schemaOf = (blueprints: readonly Blueprint[]): FormSchema => ({
  properties: {
    label: { type: 'string', description: 'Purpose, such as the crontabs of a machine.' },
    blueprint_slug: {
      type: 'string',
      enum: [NONE, ...blueprints.map(({ slug }) => slug)],
      default: NONE,
      title: 'Blueprint of new checks',
      description: 'A ping with ?create=1 and an unknown slug creates an entity of this blueprint and its check.',
    },
  },
  required: ['label'],
});

const columns = (why: string | undefined, onDelete: (key: PingKeyRecord) => void): readonly Column<PingKeyRecord>[] => [
  {
    head: 'Ping key',
    grow: true,
    cell: ({ label, key }) => (
      <>
        <bdi>{label}</bdi>
        <span class="under">
          <code>{key}</code> {why === undefined && <CopyButton text={key} />}
        </span>
      </>
    ),
  },
  { head: 'Blueprint of new checks', onlyWide: true, cell: ({ blueprint_slug }) => <bdi>{blueprint_slug ?? '–'}</bdi> },
  { head: 'Created', onlyWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    head: 'Actions',
    cell: (key) => (
      <Button small kind="danger" why={why} label={`Delete ${key.label}`} onClick={() => onDelete(key)}>
        Delete
      </Button>
    ),
  },
];

/** Lists the ping keys. A job with a ping key addresses its check by slug. */
export function PingKeys() {
  const keys = useLoad<PingKeyRecord[]>('/v1/ping-keys', { all: true });
  const blueprints = useLoad<Blueprint[]>('/v1/blueprints', { all: true });
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<PingKeyRecord | undefined>(undefined);
  const why = refusal('write');
  return (
    <Section
      title="Ping keys"
      actions={
        <Button kind="main" small icon="add" why={why} expanded={isCreating} onClick={() => setCreating(!isCreating)}>
          New ping key
        </Button>
      }
    >
      {isCreating && (
        <div class="inset">
          <SchemaForm
            name="ping-key"
            schema={schemaOf(blueprints.data ?? [])}
            submit="Create ping key"
            onCancel={() => setCreating(false)}
            send={async ({ label, blueprint_slug }) => {
              const blueprint = blueprint_slug === NONE ? null : blueprint_slug;
              await call('POST', '/v1/ping-keys', { label, blueprint_slug: blueprint ?? null });
              keys.reload();
              setCreating(false);
            }}
          />
        </div>
      )}
      <Data of={keys}>
        {(found) =>
          found.length > 0 ? (
            <Table label="Ping keys" rows={found} columns={columns(why, setDeleting)} keyOf={({ id }) => id} />
          ) : (
            <Empty help="ping_keys" title="No ping keys yet">
              <p>A job with a ping key pings {location.origin}/ping/KEY/SLUG, where SLUG is the slug of its check.</p>
            </Empty>
          )
        }
      </Data>
      {deleting && (
        <Confirm
          title={`Delete ${deleting.label}?`}
          action="Delete ping key"
          run={async () => {
            await call('DELETE', `/v1/ping-keys/${deleting.id}`);
            showToast('The ping key is deleted.');
            keys.reload();
          }}
          onClose={() => setDeleting(undefined)}
        >
          <p>Pings with this key are rejected, so the checks of its jobs miss heartbeats.</p>
        </Confirm>
      )}
    </Section>
  );
}
