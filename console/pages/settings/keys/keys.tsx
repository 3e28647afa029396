import { useState } from 'preact/hooks';
import { useLoad } from '#console/api/load.ts';
import { newRecordDialog } from '#console/app/router.ts';
import { me, refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data, Empty, NotAllowed } from '#console/parts/states.tsx';
import { Table } from '#console/parts/table/table.tsx';
import type { KeyRecord } from '#lib/access/api-key.ts';
import type { TeamMember } from '#lib/identity/team/team.ts';
import { keyColumns } from './columns.tsx';
import { KeyDialog, type PendingKeyDialog } from './key-dialogs.tsx';
import { NewKey } from './new-key.tsx';
import { useNames } from './use-names.ts';

/** API keys of the user. An admin sees the keys of all users. */
export function Keys() {
  const why = refusal('own');
  return why === undefined ? <KeyList /> : <NotAllowed why={why} />;
}

function KeyList() {
  const keys = useLoad<KeyRecord[]>('/v1/auth/keys', { all: true });
  const team = useLoad<TeamMember[]>('/v1/settings/users', { all: true });
  const { isOpen, open, close } = newRecordDialog('key', refusal('own'));
  const [dialog, show] = useState<PendingKeyDialog | undefined>(undefined);
  const nameOf = useNames(keys.data ?? []);
  const limit = me.value?.key_limit_per_user;
  const ownerOf = (id: string) => {
    const owner = team.data?.find((member) => member.id === id);
    return owner ? owner.name || owner.email : id;
  };
  return (
    <>
      <Section
        title="API keys"
        actions={
          <Button kind="main" small icon="add" expanded={isOpen} onClick={isOpen ? close : open}>
            New key
          </Button>
        }
      >
        {isOpen && <NewKey onDone={keys.reload} onClose={close} />}
        <Data of={keys}>
          {(found) =>
            found.length > 0 ? (
              <Table
                label="API keys"
                rows={found}
                columns={keyColumns({ ownerOf, nameOf, onAsk: show })}
                keyOf={({ id }) => id}
              />
            ) : (
              <Empty help="keys" title="No keys yet">
                <p>Create a key to call the API from programs, jobs and agents.</p>
              </Empty>
            )
          }
        </Data>
        <p class="hint">
          Up to {limit} keys per user. {me.value?.role === 'admin' ? 'As an admin you see the keys of all users.' : ''}
        </p>
      </Section>
      {dialog && <KeyDialog dialog={dialog} onDone={keys.reload} onClose={() => show(undefined)} />}
    </>
  );
}
