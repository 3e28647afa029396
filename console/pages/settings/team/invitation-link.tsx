import { ShownOnce } from '#console/parts/shown-once.tsx';
import { hrefOf, pathTo } from '#console/rules/address.ts';
import type { Invited } from '#lib/identity/team/team.ts';

/** The link of an invitation, which the API tells once. */
export const InvitationLink = ({ invited, onClose }: { invited: Invited; onClose: () => void }) => (
  <ShownOnce
    title={`Invitation of ${invited.email}`}
    texts={{
      'Good for 7 days, once': `${location.origin}/${hrefOf(pathTo('/invitation/:token', { token: invited.invite_token }))}`,
    }}
    onClose={onClose}
  >
    Hand the link on to {invited.email}. Whoever opens it joins as {invited.role}.
  </ShownOnce>
);
