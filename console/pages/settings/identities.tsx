import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import { showError } from '#console/app/toasts.tsx';
import { goToProvider } from '#console/pages/sign-in/methods.ts';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';

type Identity = { id: string; name: string; subject: string; linked_at: string };

/** Lists the linked identities of the user. @param provider name of the identity provider */
export function Identities({ provider }: { provider: string }) {
  const identities = useLoad<Identity[]>('/v1/sign-in/identities');
  const [removing, setRemoving] = useState<Identity | undefined>(undefined);
  return (
    <Section
      title={`${provider} identities`}
      actions={
        <Button
          small
          onClick={() => goToProvider({ purpose: 'link', return_to: '/#/settings/sign-in' }).catch(showError)}
        >
          Link {provider}
        </Button>
      }
    >
      <Data of={identities}>
        {(found) =>
          found.length === 0 ? (
            <Empty help="identities" title="No linked identities" />
          ) : (
            <Table
              label="Identities"
              rows={found}
              keyOf={({ id }) => id}
              columns={[
                { head: 'Identity', grow: true, cell: ({ name, subject }) => <bdi>{name || subject}</bdi> },
                { head: 'Linked', onlyWide: true, cell: ({ linked_at }) => <Time at={linked_at} /> },
                {
                  head: 'Actions',
                  cell: (identity) => (
                    <Button small onClick={() => setRemoving(identity)}>
                      Remove
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Data>
      {removing && (
        <Confirm
          title={`Remove ${removing.name || removing.subject}?`}
          action="Remove"
          run={async () => {
            await call('DELETE', `/v1/sign-in/identities/${removing.id}`);
            identities.reload();
          }}
          onClose={() => setRemoving(undefined)}
        >
          <p>You can no longer sign in with this identity until you link it again.</p>
        </Confirm>
      )}
    </Section>
  );
}
