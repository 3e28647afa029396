import { useState } from 'preact/hooks';
import { useLoad } from '#console/api/load.ts';
import { me } from '#console/app/session.ts';
import { Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { byName } from '#console/rules/fleet.ts';
import { signInMethodsOf } from '#console/rules/team.ts';
import { count } from '#console/rules/words.ts';
import type { TeamMember } from '#lib/identity/team/team.ts';
import { Invite } from './invite.tsx';
import { MemberDialog } from './member-dialogs.tsx';
import { MemberMenu } from './member-menu.tsx';
import type { PendingDialog } from './pending-dialog.ts';
import { RoleField } from './role-field.tsx';

export function Team() {
  const team = useLoad<TeamMember[]>('/v1/settings/users', { all: true });
  const [dialog, show] = useState<PendingDialog | undefined>(undefined);
  const self = me.value?.user.id;
  const columns: readonly Column<TeamMember>[] = [
    {
      head: 'Member',
      grow: true,
      compare: (a, b) => byName(a.name || a.email, b.name || b.email),
      cell: ({ id, name, email }) => (
        <>
          <bdi>{name || email}</bdi>
          {id === self && <span class="tag">you</span>}
          {name && (
            <span class="under">
              <bdi>{email}</bdi>
            </span>
          )}
        </>
      ),
    },
    { head: 'Role', cell: (member) => <RoleField member={member} onDone={team.reload} /> },
    {
      head: 'Sign-in',
      onlyWide: true,
      cell: (member) =>
        member.status === 'pending' ? <span class="hint">pending</span> : signInMethodsOf(member) || 'link or API key',
    },
    { head: 'Since', onlyWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
    { head: 'Actions', cell: (member) => <MemberMenu member={member} onAsk={show} /> },
  ];
  return (
    <>
      <Section title="Team">
        <Data of={team}>
          {(found) => (
            <>
              <div class="wrapped">
                <Table label="Team" rows={found} columns={columns} keyOf={({ id }) => id} />
              </div>
              <p class="hint">
                {count(found.filter(({ status }) => status === 'active').length, 'member')},{' '}
                {count(found.filter(({ status }) => status === 'pending').length, 'pending invitation')}.
              </p>
            </>
          )}
        </Data>
      </Section>
      <Invite onDone={team.reload} />
      {dialog && <MemberDialog dialog={dialog} onDone={team.reload} onClose={() => show(undefined)} />}
    </>
  );
}
