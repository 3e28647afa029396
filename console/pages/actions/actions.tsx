import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { Action } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { go, newRecordDialog } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Page } from '#console/parts/page.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { BulkBar } from '#console/parts/table/bulk.tsx';
import { useSelection } from '#console/parts/table/selection.ts';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { byName } from '#console/rules/fleet.ts';
import { triggerText } from '#console/rules/triggers.ts';
import { ActionForm } from './action-form.tsx';
import { LastExecution } from './last-execution.tsx';

const COLUMNS: readonly Column<Action>[] = [
  {
    head: 'Name',
    grow: true,
    cell: ({ id, name, method, url }) => (
      <>
        <a class="row-link" href={`#/actions/${id}`} dir="auto">
          {name}
        </a>
        <span class="why" title={url}>
          {method} {url}
        </span>
      </>
    ),
    compare: (a, b) => byName(a.name, b.name),
  },
  {
    head: 'Trigger',
    onlyWide: true,
    cell: triggerText,
    compare: (a, b) => byName(triggerText(a), triggerText(b)),
  },
  { head: 'Last execution', cell: (action) => <LastExecution action={action} /> },
];

export default function ActionsPage(_props: PageProps) {
  const actions = useLoad<Action[]>('/v1/actions', { all: true });
  const selection = useSelection();
  const why = refusal('configure');
  const { isOpen, open, close } = newRecordDialog('action', why);
  const newButton = (
    <Button kind="main" icon="add" why={why} onClick={open}>
      New action
    </Button>
  );
  return (
    <Page title="Actions" actions={newButton}>
      <Data of={actions} what="Loading the actions">
        {(found) =>
          found.length === 0 ? (
            <Empty help="actions" title="No actions yet" icon="actions">
              <p>
                An action sends an HTTP request to your systems, such as a pipeline or a runbook. Users, agents, state
                changes or a schedule can start it.
              </p>
            </Empty>
          ) : (
            <>
              <Table
                label="Actions"
                rows={found}
                columns={COLUMNS}
                keyOf={({ id }) => id}
                selection={why === undefined ? selection : undefined}
              />
              <BulkBar
                selection={selection}
                noun={['action', 'actions']}
                nameOf={(id) => found.find((action) => action.id === id)?.name ?? id}
                actions={[
                  {
                    name: 'Delete',
                    kind: 'danger',
                    why,
                    consequence: 'Their executions and logs are deleted too. Agent tools that run them will fail.',
                    work: (id) => call('DELETE', `/v1/actions/${id}`),
                  },
                ]}
                onDone={actions.reload}
              />
            </>
          )
        }
      </Data>
      {isOpen && (
        <ActionForm
          onClose={close}
          onSaved={({ id }) => {
            close();
            go(`/actions/${id}`);
          }}
        />
      )}
    </Page>
  );
}
