import { me, refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Menu } from '#console/parts/menu.tsx';
import type { TeamMember } from '#lib/identity/team/team.ts';
import type { PendingDialog } from './pending-dialog.ts';

export function MemberMenu({ member, onAsk }: { member: TeamMember; onAsk: (dialog: PendingDialog) => void }) {
  const why = refusal('manage');
  const isSelf = member.id === me.value?.user.id;
  const item = (what: PendingDialog['what'], name: string) => (
    <Button quiet why={why} onClick={() => onAsk({ what, member })}>
      {name}
    </Button>
  );
  return (
    <Menu label={`Actions for ${member.name || member.email}`}>
      {member.status === 'pending' ? (
        <>
          {item('invite', 'New invitation link…')}
          {item('remove', 'Withdraw invitation…')}
        </>
      ) : (
        <>
          {item('edit', 'Name and address…')}
          {item('link', 'Sign-in link…')}
          {item('sessions', 'End all sessions…')}
          {item('remove', isSelf ? 'Leave…' : 'Remove…')}
        </>
      )}
    </Menu>
  );
}
