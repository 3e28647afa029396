import type { TeamMember } from '#lib/identity/team/team.ts';

export type PendingDialog = { what: 'edit' | 'invite' | 'link' | 'sessions' | 'remove'; member: TeamMember };

/** Props of a dialog of a member. `onDone`: reloads the team. */
export type MemberProps = { member: TeamMember; onDone: () => void; onClose: () => void };
