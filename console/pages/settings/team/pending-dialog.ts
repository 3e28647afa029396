import type { TeamMember } from '#lib/identity/team/team.ts';

/** What somebody wants to do with a member, and is asked about first. */
export type PendingDialog = { what: 'edit' | 'invite' | 'link' | 'sessions' | 'remove'; member: TeamMember };

/** A window about a member. `onDone`: the team has to be read again. */
export type MemberProps = { member: TeamMember; onDone: () => void; onClose: () => void };
