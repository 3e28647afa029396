import type { TeamMember } from '#lib/identity/team/team.ts';

/** Dialog that is open about a member. */
export type PendingDialog = { what: 'edit' | 'invite' | 'link' | 'sessions' | 'remove'; member: TeamMember };

/** Props of a dialog about a member. `onDone`: the team must be loaded again. */
export type MemberProps = { member: TeamMember; onDone: () => void; onClose: () => void };
