import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import type { Invited } from '#lib/identity/team/team.ts';
import { InvitationLink } from './invitation-link.tsx';
import type { MemberProps } from './pending-dialog.ts';

/** Makes another link for an invitation that is pending; the one before is void. */
export function NewInvitation({ member: { email, role }, onDone, onClose }: MemberProps) {
  const [invited, show] = useState<Invited | undefined>(undefined);
  if (invited) return <InvitationLink invited={invited} onClose={onClose} />;
  return (
    <Dialog title={`A new link for ${email}`} onClose={onClose}>
      <p class="lead">The link that was made before is void then. The new one is good for 7 days.</p>
      <SchemaForm
        name={`invitation of ${email}`}
        schema={{}}
        submit="Make a new link"
        onCancel={onClose}
        send={async () => {
          show(await call<Invited>('POST', '/v1/settings/users/invite', { email, role }));
          onDone();
        }}
      />
    </Dialog>
  );
}
