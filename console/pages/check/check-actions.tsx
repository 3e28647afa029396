import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { labelOf } from '#console/api/check-names.ts';
import type { Loaded } from '#console/api/load.ts';
import type { CheckDetail, CheckRun, Policy } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { go } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { SilenceButton } from '#console/parts/alerts/silence-button.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { LinkButton } from '#console/parts/link-button.tsx';
import { Menu } from '#console/parts/menu.tsx';
import { pathTo } from '#console/rules/address.ts';
import { count } from '#console/rules/words.ts';
import { Acknowledge } from './acknowledge.tsx';

type ActionsProps = {
  check: CheckDetail;
  policy: Loaded<Policy>;
  onChange: (run?: CheckRun) => void;
};

/** Buttons of a check: acknowledge, run, silence, disable, edit, and a menu to duplicate or delete it. */
export function CheckActions({ check, policy, onChange }: ActionsProps) {
  const [busy, setBusy] = useState<'run' | 'enabled' | undefined>(undefined);
  const [deleting, setDeleting] = useState(false);
  const path = `/v1/checks/${check.id}`;
  const why = refusal('write');

  async function run(name: 'run' | 'enabled', work: () => Promise<CheckRun | undefined>) {
    setBusy(name);
    try {
      onChange(await work());
      live.pollNow();
    } catch (error) {
      showError(error);
    }
    setBusy(undefined);
  }
  const setEnabled = (enabled: boolean) =>
    run('enabled', async () => {
      await call('PUT', path, { enabled });
      if (enabled) showToast('The check is enabled.');
      else showToast('The check is disabled.', () => void setEnabled(true));
      return undefined;
    });
  return (
    <>
      <Acknowledge check={check} onChange={onChange} />
      {check.execution_mode === 'pull' && (
        <Button
          icon="reload"
          why={refusal('respond') ?? (check.enabled ? undefined : 'The check is disabled. Enable it first.')}
          busy={busy === 'run'}
          onClick={() => void run('run', () => call<CheckRun>('POST', `${path}/run`))}
        >
          Check now
        </Button>
      )}
      <SilenceButton
        id={check.id}
        name={labelOf(check)}
        noun="this check"
        isSilenced={policy.data?.silenced ?? false}
        why={why}
        send={(change) => call('POST', `${path}/policy`, change)}
        onChange={() => {
          policy.reload();
          onChange();
        }}
      />
      <Button why={why} busy={busy === 'enabled'} onClick={() => void setEnabled(!check.enabled)}>
        {check.enabled ? 'Disable' : 'Enable'}
      </Button>
      <LinkButton why={why} href={`#${pathTo('/checks/:id/edit', { id: check.id })}`}>
        Edit
      </LinkButton>
      <Menu label="More actions">
        <LinkButton quiet why={why} href={`#/checks/new?copy=${check.id}`}>
          Duplicate
        </LinkButton>
        <Button quiet why={why} onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </Menu>
      {deleting && (
        <Confirm
          title={`Delete ${labelOf(check)}?`}
          action="Delete check"
          run={async () => {
            await call('DELETE', path);
            showToast('The check is deleted.');
            void live.refresh();
            go('/checks');
          }}
          onClose={() => setDeleting(false)}
        >
          <p>
            Its results, history and policy
            {policy.data && policy.data.channels.length > 0 && ` with ${count(policy.data.channels.length, 'channel')}`}{' '}
            are deleted permanently. To keep them, disable the check.
          </p>
        </Confirm>
      )}
    </>
  );
}
