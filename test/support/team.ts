import { type ApiResponse, type Client, clientOf } from './client.ts';
import { target } from './service.ts';

export const TEAM = '/v1/settings/users';
export const INVITE = '/v1/settings/users/invite';
export const ACCEPT = '/v1/invitations/accept';

type Member = { id: string; email: string; role: string; status: string };

let count = 0;

/** Returns an unused e-mail address. */
export const address = () => `person-${++count}@team.example`;

/** Returns a client with a raw key; an empty key sends none. */
export const clientWith = async (key: string) => clientOf((await target()).url, key);

export const invite = (by: Client, email = address(), role = 'member') => by.post(INVITE, { email, role });
export const accept = async (token: string, name = 'Ben') => (await clientWith('')).post(ACCEPT, { token, name });
export const members = async (by: Client): Promise<Member[]> => (await by.get(TEAM)).body;

/** Returns the sorted statuses of concurrent calls. */
export const statuses = (responses: ApiResponse[]) => responses.map(({ status }) => status).toSorted();
