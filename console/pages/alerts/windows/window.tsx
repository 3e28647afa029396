import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useEvery } from '#console/api/every.ts';
import { useLoad } from '#console/api/load.ts';
import type { MaintenanceWindow } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { go } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { SelectorText } from '#console/parts/alerts/selector-text.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { Page, Section } from '#console/parts/page.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { duration } from '#console/rules/time.ts';
import { timesOf, windowStatus } from '#console/rules/windows/times.ts';
import { EndWindow } from './end-window.tsx';
import { UpcomingOccurrences } from './upcoming-occurrences.tsx';
import { WindowForm } from './window-form.tsx';
import { Recurrence, WhenOpen, WindowStatusMark } from './window-words.tsx';

const POLL_MS = 60_000;

export default function WindowPage({ params }: PageProps) {
  const path = `/v1/windows/${encodeURIComponent(params.id!)}`;
  const window = useLoad<MaintenanceWindow>(path);
  useEvery(POLL_MS, window.reload);
  const isGone = window.failure?.status === 404;
  return (
    <Page
      title={<span dir="auto">{window.data?.name ?? 'Maintenance window'}</span>}
      above={
        <>
          <a href="#/alerts">Alerts</a> / <a href="#/alerts/windows">Maintenance</a>
        </>
      }
      actions={window.data && !isGone && <Actions window={window.data} reload={window.reload} />}
    >
      {isGone ? (
        <Empty title="Maintenance window not found">
          <p>It was deleted, or it ended over 30 days ago.</p>
        </Empty>
      ) : (
        <Data of={window}>{(found) => <WindowDetails window={found} />}</Data>
      )}
    </Page>
  );
}

function Actions({ window, reload }: { window: MaintenanceWindow; reload: () => void }) {
  const [open, show] = useState<'edit' | 'end' | 'delete' | undefined>(undefined);
  const close = () => show(undefined);
  const why = refusal('suppress');
  return (
    <>
      {window.open && (
        <Button why={why} onClick={() => show('end')}>
          End now
        </Button>
      )}
      <Button why={why} onClick={() => show('edit')}>
        Edit
      </Button>
      <Button kind="danger" why={why} onClick={() => show('delete')}>
        Delete
      </Button>
      {open === 'edit' && (
        <Dialog help="maintenance" title={`Edit ${window.name}`} wide onClose={close}>
          <WindowForm
            window={window}
            onSaved={() => {
              close();
              reload();
            }}
            onCancel={close}
          />
        </Dialog>
      )}
      {open === 'end' && <EndWindow window={window} onEnded={reload} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={`Delete ${window.name}?`}
          action="Delete window"
          run={async () => {
            await call('DELETE', `/v1/windows/${window.id}`);
            showToast('The window is deleted.');
            go('/alerts/windows');
          }}
          onClose={close}
        >
          <p>
            {window.open
              ? 'It ends now: checks that are still down send their alert after their next result.'
              : 'It will not open.'}
            {window.cron === null &&
              window.exclude_from_uptime &&
              ' Its time of the last 30 days counts in uptime again.'}
          </p>
        </Confirm>
      )}
    </>
  );
}

function WindowDetails({ window }: { window: MaintenanceWindow }) {
  const now = Date.now();
  const status = windowStatus(window, now);
  const { duration_seconds, starts_at, ends_at, from, until, note, created_by, created_at } = window;
  const times = timesOf(window, now);
  return (
    <>
      <p class="state-line above-form">
        <WindowStatusMark of={status} /> <WhenOpen of={status} window={window} />
      </p>
      {note && <p dir="auto">{note}</p>}
      <div class="beside">
        <Section title="Next occurrences">
          <UpcomingOccurrences times={times} zone={window.time_zone} />
        </Section>
        <Section title="Window">
          <dl class="facts">
            <Fact name="Checks">
              <SelectorText of={window.scope} />
            </Fact>
            <Fact name="Recurrence">
              <Recurrence window={window} />
            </Fact>
            <Fact name="Uptime">{window.exclude_from_uptime ? 'Its time is excluded' : 'Its time counts'}</Fact>
            {duration_seconds !== null && <Fact name="Duration">{duration(duration_seconds * 1000)}</Fact>}
            <LabeledTime name="Begins" at={starts_at} />
            <LabeledTime name="Ends" at={ends_at} />
            <LabeledTime name="From" at={from} />
            <LabeledTime name="Until" at={until} />
            <Fact name="Created by">
              <bdi>{created_by || 'a key'}</bdi> <Time at={created_at} />
            </Fact>
          </dl>
        </Section>
      </div>
    </>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const LabeledTime = ({ name, at }: { name: string; at: string | null }) =>
  at === null ? null : (
    <Fact name={name}>
      <Time at={at} as="full" />
    </Fact>
  );
