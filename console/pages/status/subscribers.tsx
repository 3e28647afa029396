import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { labelOfChannel } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { StatusPage, StatusSubscriber } from '#console/api/records.ts';
import { newRecordDialog } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { ChannelForm } from '#console/parts/channel-form.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';

const TYPES: readonly StatusSubscriber['channel_type'][] = ['webhook', 'slack', 'discord'];

export function Subscribers({ page }: { page: StatusPage }) {
  const path = `/v1/status-pages/${page.id}/subscribers`;
  const list = useLoad<StatusSubscriber[]>(path);
  const [removing, setRemoving] = useState<StatusSubscriber | undefined>(undefined);
  const why = refusal('configure');
  const { isOpen, open, close } = newRecordDialog('subscriber', why);
  const components = page.groups.flatMap((group) => group.components);
  const nameOf = (id: string) => components.find((component) => component.id === id)?.name ?? 'a removed component';
  function done(message: string) {
    showToast(message);
    list.reload();
  }
  return (
    <Section
      title="Subscribers"
      help="subscribers"
      actions={
        <Button small icon="add" why={why} onClick={open}>
          Add subscriber
        </Button>
      }
    >
      <Data of={list} what="Loading the subscribers">
        {(found) =>
          found.length === 0 ? (
            <p class="hint">No subscribers. A subscriber receives public updates and notices of maintenance.</p>
          ) : (
            <ul class="happened">
              {found.map((subscriber) => (
                <li key={subscriber.id}>
                  <strong dir="auto">{labelOfChannel(subscriber)}</strong>
                  <span class="hint" dir="auto">
                    {subscriber.component_ids.map(nameOf).join(', ') || 'all components'}
                  </span>
                  <a href={`#/alerts?channel=${subscriber.id}`}>Deliveries</a>
                  <Button
                    quiet
                    small
                    why={why}
                    label={`Remove ${labelOfChannel(subscriber)}`}
                    onClick={() => setRemoving(subscriber)}
                  >
                    Remove
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Data>
      {isOpen && (
        <Dialog help="subscribers" title="Add subscriber" wide onClose={close}>
          <ChannelForm
            name={`new subscriber ${page.id}`}
            types={TYPES}
            submit="Add subscriber"
            more={componentsField(components)}
            send={async (body) => {
              await call('POST', path, body);
              done('The subscriber is added.');
              close();
            }}
            onCancel={close}
          />
        </Dialog>
      )}
      {removing && (
        <Confirm
          title={`Remove ${labelOfChannel(removing)}?`}
          action="Remove subscriber"
          run={async () => {
            await call('DELETE', `${path}/${removing.id}`);
            done('The subscriber is removed.');
          }}
          onClose={() => setRemoving(undefined)}
        >
          <p>This subscriber receives no more messages about this page.</p>
        </Confirm>
      )}
    </Section>
  );
}

function componentsField(components: readonly { id: string; name: string }[]): FormSchema {
  if (components.length === 0) return {};
  const titles = Object.fromEntries(components.map(({ id, name }) => [id, name]));
  const items = { type: 'string', enum: Object.keys(titles), titles };
  const description = 'Components about which the subscriber is notified. None selected: all.';
  return { properties: { component_ids: { type: 'array', title: 'Components', description, items } } };
}
