import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import type { TeamMember } from '#lib/identity/team/team.ts';
import { ROLES } from '#lib/platform/http/access.ts';

export function RoleField({ member, onDone }: { member: TeamMember; onDone: () => void }) {
  const [busy, setBusy] = useState(false);
  const { id, name, email, role, status } = member;
  // The console keeps the role of a pending invitation, because its link was shown with that role.
  if (refusal('manage') !== undefined || status === 'pending') return role;
  async function change(select: HTMLSelectElement) {
    const wanted = select.value;
    setBusy(true);
    try {
      await call('PUT', `/v1/settings/users/${id}`, { role: wanted });
      showToast(`${name || email} is now ${wanted === 'admin' ? 'an' : 'a'} ${wanted}.`);
      onDone();
    } catch (error) {
      select.value = role;
      showError(error);
    } finally {
      setBusy(false);
    }
  }
  return (
    <select
      aria-label={`Role of ${name || email}`}
      class="small"
      value={role}
      disabled={busy}
      onChange={(event) => void change(event.currentTarget)}
    >
      {ROLES.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
