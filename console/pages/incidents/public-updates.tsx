import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { IncidentDetail, PublicUpdate, StatusPage } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';
import { incidentPath, nextUpdateStatuses, UPDATE_STATUS } from '#console/rules/incidents.ts';

const MESSAGE = {
  type: 'string',
  maxLength: 4000,
  description: 'Plain text for customers. Line breaks are kept, https:// addresses become links.',
} as const;

const NOTIFY = { '': 'choose', yes: 'yes', no: 'no' };

type UpdateDialog = { is: 'publish' } | { is: 'edit' | 'delete'; update: PublicUpdate };

type UpdatesProps = { incident: IncidentDetail; onChange: () => void };

/** Public updates of an incident, newest first: publish, edit, delete. */
export function PublicUpdates({ incident, onChange }: UpdatesProps) {
  const path = `${incidentPath(incident.id)}/updates`;
  const updates = useLoad<PublicUpdate[]>(path, { all: true });
  const [shown, show] = useState<UpdateDialog | undefined>(undefined);
  const why = refusal('respond');
  const close = () => show(undefined);
  function done(message: string) {
    showToast(message);
    close();
    updates.reload();
    onChange();
  }
  return (
    <Section
      title="Public updates"
      help="public_updates"
      actions={
        <Button small why={why} onClick={() => show({ is: 'publish' })}>
          Publish update
        </Button>
      }
    >
      <Data of={updates} what="Loading the public updates">
        {(found) =>
          found.length === 0 ? (
            <p class="hint">No public updates.</p>
          ) : (
            <ol class="happened">
              {found.map((update) => (
                <li key={update.id}>
                  <strong>{UPDATE_STATUS[update.status]}</strong>
                  <Time at={update.at} as="full" />
                  <bdi>{update.by}</bdi>
                  {update.edited_at && <span class="tag">edited</span>}
                  <Button quiet small why={why} onClick={() => show({ is: 'edit', update })}>
                    Edit
                  </Button>
                  <Button quiet small why={why} onClick={() => show({ is: 'delete', update })}>
                    Delete
                  </Button>
                  <p class="note" dir="auto">
                    {update.message}
                  </p>
                </li>
              ))}
            </ol>
          )
        }
      </Data>
      {shown?.is === 'publish' && (
        <PublishDialog
          incident={incident}
          send={async (body) => {
            await call('POST', path, body);
            done('The update is published.');
          }}
          onClose={close}
        />
      )}
      {shown?.is === 'edit' && (
        <Dialog help="public_updates" title="Edit public update" onClose={close}>
          <SchemaForm
            name={`update ${shown.update.id}`}
            schema={{ properties: { message: MESSAGE }, required: ['message'] }}
            record={shown.update}
            submit="Save update"
            send={async (body) => {
              await call('PUT', `${path}/${shown.update.id}`, body);
              done('The update is changed.');
            }}
            onCancel={close}
          />
        </Dialog>
      )}
      {shown?.is === 'delete' && (
        <Confirm
          title="Delete public update?"
          action="Delete update"
          run={async () => {
            await call('DELETE', `${path}/${shown.update.id}`);
            done('The update is deleted.');
          }}
          onClose={close}
        >
          <p>The update disappears from status pages and feeds. The timeline keeps its author and status.</p>
        </Confirm>
      )}
    </Section>
  );
}

type PublishProps = {
  incident: IncidentDetail;
  send: (body: Record<string, unknown>) => Promise<void>;
  onClose: () => void;
};

const PublishDialog = ({ incident, send, onClose }: PublishProps) => {
  const pages = useLoad<StatusPage[]>('/v1/status-pages');
  return (
    <Dialog help="public_updates" title="Publish update" wide onClose={onClose}>
      <p class="hint">Customers read the update on status pages. The status Resolved also resolves the incident.</p>
      <Data of={pages} what="Loading the status pages">
        {(found) => (
          <SchemaForm
            name={`new update ${incident.id}`}
            schema={{
              properties: {
                status: { type: 'string', enum: nextUpdateStatuses(incident), titles: UPDATE_STATUS },
                message: MESSAGE,
                notify: { type: 'string', title: 'Notify subscribers', enum: Object.keys(NOTIFY), titles: NOTIFY },
                ...componentsField(found),
              },
              required: ['status', 'message', 'notify'],
            }}
            submit="Publish update"
            send={({ notify, ...body }) => send(notify ? { ...body, notify: notify === 'yes' } : body)}
            onCancel={onClose}
          />
        )}
      </Data>
    </Dialog>
  );
};

function componentsField(pages: readonly StatusPage[]): Record<string, FormSchema> {
  const components = pages.flatMap(({ title, groups }) =>
    groups.flatMap(({ components: own }) => own.map(({ id, name }) => [id, `${name} (${title})`] as const)),
  );
  if (components.length === 0) return {};
  const items = { type: 'string', enum: components.map(([id]) => id), titles: Object.fromEntries(components) };
  const description =
    'Components that the update is about. None selected: the update appears on all pages that show the incident.';
  return { component_ids: { type: 'array', title: 'Components', description, items } };
}
