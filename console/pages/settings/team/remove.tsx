import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import { me } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Data } from '#console/parts/states.tsx';
import { credentialsOf } from '#console/rules/team.ts';
import type { KeyRecord } from '#lib/access/api-key.ts';
import type { MemberProps } from './pending-dialog.ts';

/** Asks for confirmation before a member is removed or an invitation is withdrawn. Lists what a removal deletes. */
export function Remove({ member, onDone, onClose }: MemberProps) {
  const { id, status, name, email } = member;
  const isPending = status === 'pending';
  const keys = useLoad<KeyRecord[]>(isPending ? null : '/v1/auth/keys', { all: true });
  const memberName = name || email;
  return (
    <Confirm
      title={isPending ? `Withdraw the invitation for ${email}?` : `Remove ${memberName} from the team?`}
      action={isPending ? 'Withdraw invitation' : `Remove ${memberName}`}
      run={async () => {
        await call('DELETE', `/v1/settings/users/${id}`);
        showToast(isPending ? `The invitation for ${email} is withdrawn.` : `${memberName} is no longer in the team.`);
        onDone();
      }}
      onClose={onClose}
    >
      {isPending ? (
        <p>The link becomes invalid at once.</p>
      ) : (
        <Data of={keys} what="Loading the keys">
          {(found) => {
            const own = found.filter(({ created_by }) => created_by === id);
            return (
              <>
                <p>Deleted at once: {credentialsOf(member, own.length)}. The changes that this member made stay.</p>
                {own.length > 0 && (
                  <ul class="losses" aria-label="Deleted keys">
                    {own.map((key) => (
                      <li key={key.id}>
                        <bdi>{key.label}</bdi>
                      </li>
                    ))}
                  </ul>
                )}
                {id === me.value?.user.id && <p>This is your own account. You will be signed out.</p>}
              </>
            );
          }}
        </Data>
      )}
    </Confirm>
  );
}
