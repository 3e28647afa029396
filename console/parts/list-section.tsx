import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import { newRecordDialog } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import type { Guarded } from '#lib/platform/http/access.ts';
import { Button } from './button.tsx';
import { Confirm } from './confirm.tsx';
import type { Subject } from './help-link.tsx';
import { Section } from './page.tsx';
import { Data } from './states.tsx';

/** Check or entity that the records of a section belong to. */
export type Owner = { check_id: string } | { entity_id: string };

/** Values for the items of a section. `why`: reason why the user may not change records, if any. */
export type ListTools = { why: string | undefined; reload: () => void };

type ListSectionProps<T> = {
  title: string;
  /** Topic of the help link; also the class of the list. */
  topic: Subject & ('slos' | 'badges');
  noun: string;
  path: string;
  of: Owner;
  access: Guarded;
  none: string;
  nameOf: (record: T) => string;
  consequence: string;
  item: (record: T, tools: ListTools & { deleteButton: ComponentChildren }) => ComponentChildren;
  /** Dialog of a new record. @param close also reloads the list */
  dialog: (close: () => void) => ComponentChildren;
};

/** Section with the records of a check or an entity, which can be created and deleted. */
export function ListSection<T extends { id: string }>(props: ListSectionProps<T>) {
  const { title, topic, noun, path, of, access, none, nameOf, consequence, item, dialog } = props;
  const [[parameter, id]] = Object.entries(of) as [[string, string]];
  const list = useLoad<T[]>(`${path}?${parameter}=${encodeURIComponent(id)}`);
  const [toDelete, setToDelete] = useState<T | undefined>(undefined);
  const why = refusal(access);
  const { isOpen, open, close } = newRecordDialog(noun.toLowerCase(), why);
  const button = (record: T) => (
    <Button small kind="danger" why={why} onClick={() => setToDelete(record)}>
      Delete
    </Button>
  );
  const closeNew = () => {
    close();
    list.reload();
  };
  return (
    <Section
      title={title}
      help={topic}
      actions={
        <Button small icon="add" why={why} onClick={open}>
          New {noun}
        </Button>
      }
    >
      <Data of={list} what={`Loading the ${title}`}>
        {(found) =>
          found.length === 0 ? (
            <p class="hint">{none}</p>
          ) : (
            <ul class={topic}>
              {found.map((record) => item(record, { why, reload: list.reload, deleteButton: button(record) }))}
            </ul>
          )
        }
      </Data>
      {isOpen && dialog(closeNew)}
      {toDelete && (
        <Confirm
          title={`Delete ${nameOf(toDelete)}?`}
          action={`Delete ${noun}`}
          run={async () => {
            await call('DELETE', `${path}/${toDelete.id}`);
            list.reload();
          }}
          onClose={() => setToDelete(undefined)}
        >
          <p>{consequence}</p>
        </Confirm>
      )}
    </Section>
  );
}
