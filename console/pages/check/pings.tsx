import { useEffect, useState } from 'preact/hooks';
import { useFeed } from '#console/api/feed.ts';
import { useLoad } from '#console/api/load.ts';
import type { Ping } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { CodeBlock } from '#console/parts/copy-button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data, Empty, Failure, Loading } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { duration } from '#console/rules/time.ts';

const KIND: Readonly<Record<Ping['kind'], string>> = {
  success: 'Success',
  fail: 'Failure',
  start: 'Start',
  log: 'Log',
};

const columnsOf = (show: (ping: Ping) => void): readonly Column<Ping>[] => [
  {
    head: 'Ping',
    cell: ({ kind, exit_status }) => (exit_status === null ? KIND[kind] : `${KIND[kind]}, exit status ${exit_status}`),
  },
  {
    head: 'From',
    grow: true,
    onlyWide: true,
    cell: ({ method, remote_addr, user_agent, rid }) => (
      <span dir="auto" title={rid === null ? user_agent : `${user_agent}, run ${rid}`}>
        {method} {remote_addr} {user_agent}
      </span>
    ),
  },
  {
    head: 'Duration',
    onlyWide: true,
    numeric: true,
    cell: ({ duration_ms }) => (duration_ms === null ? '–' : duration(duration_ms)),
  },
  {
    head: 'Body',
    cell: (ping) =>
      ping.body_bytes > 0 ? (
        <Button small quiet why={refusal('write')} onClick={() => show(ping)}>
          {ping.body_bytes} bytes
        </Button>
      ) : (
        '–'
      ),
  },
  { head: 'Received', numeric: true, cell: ({ at }) => <Time at={at} /> },
];

const PINGS_PER_PAGE = 10;

/** Lists the pings of a push check. @param refresh changes when the pings must be read again */
export function Pings({ id, refresh }: { id: string; refresh: number }) {
  const [shown, show] = useState<Ping | undefined>(undefined);
  const { items, failure, loading, hasMore, more, reload } = useFeed<Ping>(
    `/v1/checks/${id}/pings?limit=${PINGS_PER_PAGE}`,
    'pings',
  );
  useEffect(() => {
    if (refresh > 0 && items.length <= PINGS_PER_PAGE) reload();
  }, [refresh]);
  return (
    <Section title="Pings">
      {failure && <Failure failure={failure} retry={reload} />}
      {items.length === 0 && loading && <Loading what="Loading the pings" />}
      {items.length === 0 && !loading && !failure && <Empty title="No pings yet" />}
      {items.length > 0 && <Table label="Pings" rows={items} columns={columnsOf(show)} keyOf={(ping) => ping.id} />}
      {hasMore && items.length > 0 && (
        <p class="more">
          <Button small busy={loading} onClick={more}>
            Show older pings
          </Button>
        </p>
      )}
      {shown && <PingBody id={id} ping={shown} onClose={() => show(undefined)} />}
    </Section>
  );
}

function PingBody({ id, ping, onClose }: { id: string; ping: Ping; onClose: () => void }) {
  const body = useLoad<string>(`/v1/checks/${id}/pings/${ping.id}/body`);
  return (
    <Dialog title="Ping body" onClose={onClose} wide>
      <Data of={body}>{(text) => <CodeBlock label={`${ping.body_bytes} bytes`} text={text} />}</Data>
    </Dialog>
  );
}
