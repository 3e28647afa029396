import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { CreatedRecord, Silence } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { showToast, showWarning } from '#console/app/toasts.tsx';
import { blueprintsInUse, Selects } from '#console/parts/alerts/selects.tsx';
import { SilenceForm } from '#console/parts/alerts/silence-form.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { selectorOf, selectorSchema } from '#console/rules/selector.ts';

/** Lists the active silences of the account. */
export function Silences() {
  const silences = useLoad<Silence[]>('/v1/notify/silences');
  const [making, make] = useState(false);
  const [ending, end] = useState<Silence | undefined>(undefined);
  const why = refusal('respond');
  return (
    <>
      <p class="above-form">
        <Button icon="muted" why={why} onClick={() => make(true)}>
          New silence
        </Button>
      </p>
      <Data of={silences} what="Loading the silences">
        {(found) =>
          found.length === 0 ? (
            <Empty title="No active silences" icon="alerts">
              <p>A silence suppresses all alerts of the selected checks until a given time.</p>
              <p>To silence a single check or entity, open its page.</p>
            </Empty>
          ) : (
            <Table label="Silences" rows={found} columns={columnsOf(why, end)} keyOf={({ id }) => id} />
          )
        }
      </Data>
      {making && (
        <Dialog title="New silence" wide onClose={() => make(false)}>
          <SilenceForm
            name="new silence"
            more={{ applies_to: selectorSchema(blueprintsInUse()) }}
            send={async (silence, body) => {
              const { notice } = await call<CreatedRecord>('POST', '/v1/notify/silences', {
                ...silence,
                applies_to: selectorOf(body.applies_to),
              });
              showToast('The silence is active.');
              if (notice) showWarning(notice);
              make(false);
              silences.reload();
            }}
            onCancel={() => make(false)}
          />
        </Dialog>
      )}
      {ending && (
        <Confirm
          title="End this silence now?"
          action="End silence"
          run={async () => {
            await call('DELETE', `/v1/notify/silences/${ending.id}`);
            silences.reload();
          }}
          onClose={() => end(undefined)}
        >
          <p>
            <Selects of={ending.applies_to} />: an alert is sent at once for each changed state.
          </p>
        </Confirm>
      )}
    </>
  );
}

const columnsOf = (why: string | undefined, end: (silence: Silence) => void): readonly Column<Silence>[] => [
  {
    head: 'Checks',
    grow: true,
    cell: ({ applies_to, reason, until }) => (
      <>
        <Selects of={applies_to} />
        <span class="under" dir="auto">
          <span class="narrow">
            <Time at={until} as="full" />{' '}
          </span>
          {reason}
        </span>
      </>
    ),
  },
  { head: 'Until', wide: true, cell: ({ until }) => <Time at={until} as="full" /> },
  { head: 'By', wide: true, cell: ({ created_by }) => <bdi>{created_by || 'a key'}</bdi> },
  {
    head: 'Actions',
    cell: (silence) => (
      <Button small why={why} onClick={() => end(silence)}>
        End
      </Button>
    ),
  },
];
