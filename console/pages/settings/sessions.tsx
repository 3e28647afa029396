import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import { Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import type { SessionRecord } from '#lib/identity/sessions/session.ts';

export function Sessions() {
  const sessions = useLoad<SessionRecord[]>('/v1/sessions');
  async function end(path: string, message: string) {
    try {
      await call('DELETE', path);
      showToast(message);
      sessions.reload();
    } catch (error) {
      showError(error);
    }
  }
  return (
    <Section
      title="Sessions"
      actions={
        <Button small onClick={() => void end('/v1/sessions', 'All other sessions have ended.')}>
          End other sessions
        </Button>
      }
    >
      <Data of={sessions}>
        {(found) => (
          <Table
            label="Sessions"
            rows={found}
            keyOf={({ id }) => id}
            columns={[
              { head: 'Method', cell: ({ method }) => method },
              {
                head: 'Browser',
                grow: true,
                cell: ({ user_agent }) => <span title={user_agent}>{browserOf(user_agent)}</span>,
              },
              { head: 'From', onlyWide: true, cell: ({ last_seen_from }) => last_seen_from },
              { head: 'Last used', onlyWide: true, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
              { head: 'Ends', onlyWide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
              {
                head: 'Actions',
                cell: ({ id, current }) =>
                  current ? (
                    'this session'
                  ) : (
                    <Button small onClick={() => void end(`/v1/sessions/${id}`, 'The session has ended.')}>
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Data>
    </Section>
  );
}

function browserOf(userAgent: string): string {
  const browser = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari'].find((name) => userAgent.includes(`${name}/`));
  const system = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'].find((name) => userAgent.includes(name));
  if (!browser) return userAgent || 'unknown';
  return [{ Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser, system].filter(Boolean).join(' on ');
}
