import { me } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Menu } from '#console/parts/menu.tsx';
import type { Column } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { byName } from '#console/rules/fleet.ts';
import { permissionText, restrictionText } from '#console/rules/keys.ts';
import type { KeyRecord } from '#lib/access/api-key.ts';
import type { PendingKeyDialog } from './key-dialogs.tsx';

type Options = {
  ownerOf: (user: string) => string;
  nameOf: (id: string) => string;
  onAsk: (dialog: PendingKeyDialog) => void;
};

export const keyColumns = ({ ownerOf, nameOf, onAsk }: Options): readonly Column<KeyRecord>[] => [
  {
    head: 'Key',
    grow: true,
    compare: (a, b) => byName(a.label, b.label),
    cell: ({ label, prefix, status, rotated_to, ...key }) => (
      <>
        <bdi>{label}</bdi>
        {status === 'expired' && <span class="tag">expired</span>}
        {rotated_to && <span class="tag">rotated</span>}
        <span class="under">
          <code>{prefix}…</code> <span class="narrow">{permissionText(key)}</span>
        </span>
      </>
    ),
  },
  {
    head: 'Owner',
    onlyWide: true,
    compare: (a, b) => byName(ownerOf(a.created_by), ownerOf(b.created_by)),
    cell: ({ created_by }) => <bdi class="cut">{ownerOf(created_by)}</bdi>,
  },
  {
    head: 'Permissions',
    onlyWide: true,
    cell: (key) => {
      const restriction = restrictionText(key, nameOf);
      return (
        <>
          {permissionText(key)}
          {restriction && (
            <span class="under cut" title={restriction}>
              {restriction}
            </span>
          )}
        </>
      );
    },
  },
  {
    head: 'Last used',
    onlyWide: true,
    compare: (a, b) => (a.last_used_at ?? '').localeCompare(b.last_used_at ?? ''),
    cell: ({ last_used_at, last_used_from }) =>
      last_used_at ? (
        <>
          <Time at={last_used_at} />
          {last_used_from && <span class="under">from {last_used_from}</span>}
        </>
      ) : (
        'never'
      ),
  },
  {
    head: 'Expires',
    compare: (a, b) => (a.expires_at ?? '~').localeCompare(b.expires_at ?? '~'),
    cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : 'never'),
  },
  { head: 'Actions', cell: (key) => <KeyMenu of={key} owner={ownerOf(key.created_by)} onAsk={onAsk} /> },
];

type KeyMenuProps = { of: KeyRecord; owner: string; onAsk: (dialog: PendingKeyDialog) => void };

function KeyMenu({ of: key, owner, onAsk }: KeyMenuProps) {
  const isOwn = key.created_by === me.value?.user.id;
  const whyNotEdit = key.status === 'expired' ? 'It has expired. Create a new key.' : undefined;
  const whyNotRotate =
    whyNotEdit ??
    (key.rotated_to !== null ? 'It has already been rotated.' : undefined) ??
    (isOwn ? undefined : `Only its owner ${owner} can rotate it. You can delete it.`);
  return (
    <Menu label={`Actions for ${key.label}`}>
      <Button quiet why={whyNotEdit} onClick={() => onAsk({ what: 'edit', key })}>
        Edit…
      </Button>
      <Button quiet why={whyNotRotate} onClick={() => onAsk({ what: 'rotate', key })}>
        Rotate…
      </Button>
      <Button quiet onClick={() => onAsk({ what: 'delete', key })}>
        Delete…
      </Button>
    </Menu>
  );
}
