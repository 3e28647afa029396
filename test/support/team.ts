import { type Answer, type Client, clientOf } from './client.ts';
import { target } from './service.ts';

export const TEAM = '/v1/settings/users';
export const INVITE = '/v1/settings/users/invite';
export const ACCEPT = '/v1/invitations/accept';

type Member = { id: string; email: string; role: string; status: string };

let count = 0;

/** An e-mail address that nobody has yet. */
export const address = () => `person-${++count}@team.example`;

/** The service with a key that was just made; an empty one is nobody's. */
export const clientWith = async (key: string) => clientOf((await target()).url, key);

export const invite = (by: Client, email = address(), role = 'member') => by.post(INVITE, { email, role });
export const accept = async (token: string, name = 'Ben') => (await clientWith('')).post(ACCEPT, { token, name });
export const members = async (by: Client): Promise<Member[]> => (await by.get(TEAM)).body;

/** Of calls made at once, whichever came first. */
export const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted();
