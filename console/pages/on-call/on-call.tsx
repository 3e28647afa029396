import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useEvery } from '#console/api/every.ts';
import { useLoad } from '#console/api/load.ts';
import type { Rota } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { newRecordDialog } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Page } from '#console/parts/page.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { hrefOf } from '#console/rules/address.ts';
import { RotaForm } from './rota-form.tsx';
import { RotaShifts } from './rota-shifts.tsx';

/** Poll interval in ms. Polling is needed because a hand-over sends no event. */
const POLL_MS = 60_000;

/** Page of on-call rotas: who is on call in each rota, and the shifts of the selected rota for some weeks. */
export default function OnCallPage({ query }: PageProps) {
  const rotas = useLoad<Rota[]>('/v1/rotas');
  const [editing, setEditing] = useState<Rota | undefined>(undefined);
  const [deleting, setDeleting] = useState<Rota | undefined>(undefined);
  const why = refusal('write');
  const { isOpen, open, close } = newRecordDialog('rota', why);
  useEvery(POLL_MS, rotas.reload);
  return (
    <Page
      title="On call"
      actions={
        <Button icon="add" why={why} onClick={open}>
          New rota
        </Button>
      }
    >
      <Data of={rotas} what="Loading the rotas">
        {(found) => {
          const selected = found.find(({ id }) => id === query.get('rota')) ?? found[0];
          if (!selected)
            return (
              <Empty help="rotas" title="No on-call rotas" icon="person">
                <p>A rota names the person on call. An escalation step can notify that person.</p>
              </Empty>
            );
          return (
            <>
              <Table
                label="Rotas"
                rows={found}
                columns={columnsOf(why, setEditing, setDeleting)}
                keyOf={({ id }) => id}
              />
              <RotaShifts key={`${selected.id} ${selected.updated_at}`} rota={selected} reload={rotas.reload} />
            </>
          );
        }}
      </Data>
      {isOpen && <RotaForm onSaved={rotas.reload} onClose={close} />}
      {editing && <RotaForm rota={editing} onSaved={rotas.reload} onClose={() => setEditing(undefined)} />}
      {deleting && (
        <Confirm
          title={`Delete ${deleting.name}?`}
          action="Delete rota"
          run={async () => {
            await call('DELETE', `/v1/rotas/${deleting.id}`);
            showToast('The rota is deleted.');
            rotas.reload();
          }}
          onClose={() => setDeleting(undefined)}
        >
          <p>Escalation steps with this rota then notify only their channels.</p>
        </Confirm>
      )}
    </Page>
  );
}

const columnsOf = (
  why: string | undefined,
  onEdit: (rota: Rota) => void,
  onDelete: (rota: Rota) => void,
): readonly Column<Rota>[] => [
  {
    head: 'Rota',
    grow: true,
    cell: ({ id, name }) => (
      <a href={hrefOf('/on-call', { rota: id })} dir="auto">
        {name}
      </a>
    ),
  },
  {
    head: 'On call now',
    cell: ({ on_call }) => (
      <>
        <strong dir="auto">{on_call.member}</strong>
        <span class="under">
          until <Time at={on_call.to} as="full" />
        </span>
      </>
    ),
  },
  {
    head: 'Next',
    onlyWide: true,
    cell: ({ next }) => (
      <>
        <bdi>{next.member}</bdi>
        <span class="under">
          from <Time at={next.from} as="full" />
        </span>
      </>
    ),
  },
  {
    head: 'Actions',
    cell: (rota) => (
      <span class="row-actions">
        <Button small why={why} label={`Edit ${rota.name}`} onClick={() => onEdit(rota)}>
          Edit
        </Button>
        <Button small why={why} label={`Delete ${rota.name}`} onClick={() => onDelete(rota)}>
          Delete
        </Button>
      </span>
    ),
  },
];
