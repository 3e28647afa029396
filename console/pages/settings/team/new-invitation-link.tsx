import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import type { Invited } from '#lib/identity/team/team.ts';
import { InvitationLink } from './invitation-link.tsx';
import type { MemberProps } from './pending-dialog.ts';

/** Creates a new link for a pending invitation; the old link becomes invalid. */
export function NewInvitationLink({ member: { email, role }, onDone, onClose }: MemberProps) {
  const [invited, show] = useState<Invited | undefined>(undefined);
  if (invited) return <InvitationLink invited={invited} onClose={onClose} />;
  return (
    <Dialog help="invitations" title={`New link for ${email}`} onClose={onClose}>
      <p class="lead">The old link becomes invalid. The new one is valid for 7 days.</p>
      <SchemaForm
        name={`invitation of ${email}`}
        schema={{}}
        submit="Create link"
        onCancel={onClose}
        send={async () => {
          show(await call<Invited>('POST', '/v1/settings/users/invite', { email, role }));
          onDone();
        }}
      />
    </Dialog>
  );
}
