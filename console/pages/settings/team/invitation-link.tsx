import { ShownOnce } from '#console/parts/shown-once.tsx';
import { hrefOf, pathTo } from '#console/rules/address.ts';
import type { Invited } from '#lib/identity/team/team.ts';

/** Shows an invitation link, which the API returns only once. */
export const InvitationLink = ({ invited, onClose }: { invited: Invited; onClose: () => void }) => (
  <ShownOnce
    title={`Invitation for ${invited.email}`}
    texts={{
      'Valid once, for 7 days': `${location.origin}/${hrefOf(pathTo('/invitation/:token', { token: invited.invite_token }))}`,
    }}
    onClose={onClose}
  >
    Send the link to {invited.email}. Anyone who has the link can join as {invited.role}.
  </ShownOnce>
);
