import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { Check, Entity, Silence, WithNotice } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { newRecordDialog } from '#console/app/router.ts';
import { refusal, suppressionRefusal } from '#console/app/session.ts';
import { showToast, showWarning } from '#console/app/toasts.tsx';
import { blueprintsInUse, SelectorText } from '#console/parts/alerts/selector-text.tsx';
import { SilenceForm } from '#console/parts/alerts/silence-form.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { pathTo } from '#console/rules/address.ts';
import { entityHref, entityPath } from '#console/rules/catalog.ts';
import { selectorOf, selectorSchema } from '#console/rules/selector.ts';
import { CheckLink } from './check-link.tsx';

/** Lists the active silences of the account, its entities and checks. */
export function Silences({ checks }: { checks: readonly Check[] | undefined }) {
  const silences = useLoad<Silence[]>('/v1/notify/silences', { all: true });
  const [ending, confirmEnd] = useState<Silence | undefined>(undefined);
  const why = refusal('suppress');
  const { isOpen, open, close } = newRecordDialog('silence', why);
  const columns = columnsOf(checks, confirmEnd);
  return (
    <>
      <p class="above-form">
        <Button icon="muted" why={why} onClick={open}>
          New silence
        </Button>
      </p>
      <Data of={silences} what="Loading the silences">
        {(found) =>
          found.length === 0 ? (
            <Empty help="silences" title="No active silences" icon="alerts">
              <p>A silence suppresses alerts of selected checks.</p>
            </Empty>
          ) : (
            <Table label="Silences" rows={found} columns={columns} keyOf={idOf} />
          )
        }
      </Data>
      {isOpen && (
        <Dialog help="silences" title="New silence" wide onClose={close}>
          <SilenceForm
            name="new silence"
            more={{ applies_to: selectorSchema(blueprintsInUse()) }}
            why={(lasts_ms, { applies_to }) =>
              suppressionRefusal({ covers_all: selectorOf(applies_to) === null, lasts_ms })
            }
            send={async (silence, body) => {
              const { notice } = await call<WithNotice>('POST', '/v1/notify/silences', {
                ...silence,
                applies_to: selectorOf(body.applies_to),
              });
              showToast('The silence is active.');
              if (notice) showWarning(notice);
              close();
              silences.reload();
            }}
            onCancel={() => close()}
          />
        </Dialog>
      )}
      {ending && (
        <Confirm
          title="End this silence now?"
          action="End silence"
          run={async () => {
            await endSilence(ending);
            silences.reload();
          }}
          onClose={() => confirmEnd(undefined)}
        >
          <p>
            <Subject silence={ending} checks={checks} />: a late alert reports each check in a state or failure that no
            alert reported, unless its policy, another silence or a window suppresses it.
          </p>
        </Confirm>
      )}
    </>
  );
}

const idOf = ({ id, check_id, entity_id }: Silence): string => (id ?? check_id ?? entity_id)!;

const entityOf = ({ entity_id }: Silence) => live.fleet.value?.get(entity_id ?? '');

/** Ends a silence. The silence of a check or an entity is its `silenced` setting. */
async function endSilence(silence: Silence): Promise<void> {
  const { scope, id, check_id, entity_id } = silence;
  if (scope === 'account') await call('DELETE', `/v1/notify/silences/${id}`);
  else if (scope === 'check')
    await call('POST', pathTo('/v1/checks/:id/policy', { id: check_id! }), { silenced: false });
  else {
    const entity = entityOf(silence) ?? (await call<Entity>('GET', pathTo('/v1/entities/:id', { id: entity_id! })));
    await call('PUT', entityPath(entity), { silenced: false });
  }
}

function Subject({ silence, checks }: { silence: Silence; checks: readonly Check[] | undefined }) {
  const { scope, applies_to, check_id } = silence;
  const entity = entityOf(silence);
  if (scope === 'account') return <SelectorText of={applies_to} />;
  if (scope === 'check') return <CheckLink id={check_id!} check={checks?.find(({ id }) => id === check_id)} />;
  return (
    <span>
      All checks of{' '}
      {entity ? (
        <a href={entityHref(entity)} dir="auto">
          {entity.name}
        </a>
      ) : (
        silence.entity_id
      )}
    </span>
  );
}

const Until = ({ at }: { at: string | null }) => (at === null ? <>until lifted</> : <Time at={at} as="full" />);

const columnsOf = (
  checks: readonly Check[] | undefined,
  confirmEnd: (silence: Silence) => void,
): readonly Column<Silence>[] => [
  {
    head: 'Checks',
    grow: true,
    cell: (silence) => (
      <>
        <Subject silence={silence} checks={checks} />
        <span class="under" dir="auto">
          <span class="narrow">
            <Until at={silence.until} />{' '}
          </span>
          {silence.reason}
        </span>
      </>
    ),
  },
  { head: 'Until', onlyWide: true, cell: ({ until }) => <Until at={until} /> },
  { head: 'By', onlyWide: true, cell: ({ created_by }) => <bdi>{created_by}</bdi> },
  {
    head: 'Actions',
    cell: (silence) => (
      <Button
        small
        why={refusal(silence.scope === 'account' ? 'suppress' : 'write')}
        onClick={() => confirmEnd(silence)}
      >
        End
      </Button>
    ),
  },
];
