import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import { newRecordDialog } from '#console/app/router.ts';
import { addPasskey } from '#console/pages/sign-in/passkeys.ts';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { Section } from '#console/parts/page.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { fieldsOf } from '#console/rules/form-fields.ts';
import type { PasskeyRecord } from '#lib/identity/passkeys/passkey.ts';
import { RenamePasskey } from './rename-passkey.tsx';

const SPECS = fieldsOf({
  properties: { name: { type: 'string', description: 'Name of the device, such as laptop or phone.' } },
  required: ['name'],
});

/** Lists the passkeys of the user. @param why reason why passkeys cannot be added at this address */
export function Passkeys({ why }: { why: string | undefined }) {
  const passkeys = useLoad<PasskeyRecord[]>('/v1/sign-in/passkeys');
  const [removing, setRemoving] = useState<PasskeyRecord | undefined>(undefined);
  const [renaming, setRenaming] = useState<PasskeyRecord | undefined>(undefined);
  const form = useForm({
    name: 'passkey',
    specs: SPECS,
    send: async ({ name }) => {
      await addPasskey(String(name ?? ''));
      passkeys.reload();
    },
  });
  const columns: readonly Column<PasskeyRecord>[] = [
    { head: 'Name', grow: true, cell: ({ name }) => <bdi>{name}</bdi> },
    {
      head: 'Host',
      onlyWide: true,
      cell: ({ rp_id, synced }) => (
        <>
          {rp_id}
          {synced && <span class="tag">synced</span>}
        </>
      ),
    },
    { head: 'Added', onlyWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
    {
      head: 'Last used',
      onlyWide: true,
      cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never'),
    },
    {
      head: 'Actions',
      cell: (passkey) => (
        <span class="row-actions">
          <Button small onClick={() => setRenaming(passkey)}>
            Rename
          </Button>
          <Button small onClick={() => setRemoving(passkey)}>
            Remove
          </Button>
        </span>
      ),
    },
  ];
  return (
    <Section title="Passkeys">
      <Data of={passkeys}>
        {(found) =>
          found.length > 0 ? (
            <Table label="Passkeys" rows={found} columns={columns} keyOf={({ id }) => id} />
          ) : (
            <Empty help="passkeys" title="No passkeys yet" />
          )
        }
      </Data>
      <Form form={form} submit="Add passkey" why={why} focused={newRecordDialog('passkey', why).isOpen}>
        {why && <p class="hint">{why}</p>}
        <FormFields form={form} specs={SPECS} />
      </Form>
      {renaming && <RenamePasskey of={renaming} onDone={passkeys.reload} onClose={() => setRenaming(undefined)} />}
      {removing && (
        <Confirm
          title={`Remove ${removing.name}?`}
          action="Remove"
          run={async () => {
            await call('DELETE', `/v1/sign-in/passkeys/${removing.id}`);
            passkeys.reload();
          }}
          onClose={() => setRemoving(undefined)}
        >
          <p>You can no longer sign in with this passkey. Sessions that were started with it continue.</p>
        </Confirm>
      )}
    </Section>
  );
}
