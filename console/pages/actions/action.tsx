import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { Action } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { go } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Page } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import { ActionForm } from './action-form.tsx';
import { ActionSettings } from './action-summary.tsx';
import { Executions } from './executions.tsx';
import { RunForm } from './run-form.tsx';

export default function ActionPage({ params }: PageProps) {
  const action = useLoad<Action>(`/v1/actions/${params.id}`);
  const [open, show] = useState<'edit' | 'delete' | undefined>(undefined);
  const why = refusal('configure');
  const close = () => show(undefined);
  return (
    <Page
      title={<bdi>{action.data?.name ?? 'Action'}</bdi>}
      above={<a href="#/actions">Actions</a>}
      actions={
        action.data && (
          <>
            <Button why={why} onClick={() => show('edit')}>
              Edit
            </Button>
            <Button why={why} onClick={() => show('delete')}>
              Delete
            </Button>
          </>
        )
      }
    >
      <Data of={action} what="Loading the action">
        {(found) => (
          <>
            <ActionSettings action={found} />
            <RunForm key={`${found.url} ${found.body_template}`} action={found} />
            <Executions action={found} />
            {open === 'edit' && (
              <ActionForm
                action={found}
                onClose={close}
                onSaved={({ name }) => {
                  showToast(`${name} is saved.`);
                  action.reload();
                }}
              />
            )}
            {open === 'delete' && (
              <Confirm
                title={`Delete ${found.name}?`}
                action="Delete"
                run={async () => {
                  await call('DELETE', `/v1/actions/${found.id}`);
                  go('/actions');
                }}
                onClose={close}
              >
                <p>Its executions and their logs are deleted too. Agent tools that run it will fail.</p>
              </Confirm>
            )}
          </>
        )}
      </Data>
    </Page>
  );
}
