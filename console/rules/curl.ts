/** A call of the API, as one makes it without this page. */
export type Command = { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; path: string; body?: object | undefined };

/** From so many characters on a body stands on lines of its own. */
const LONG = 60;

/** A text as one word of a shell (POSIX, section 2.2.2). */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The call as a command for a shell in which FLEETWATCH_KEY is an API key.
 * @param origin `https://status.example.com`
 */
export function curlOf({ method, path, body }: Command, origin: string): string {
  const verb = method === (body ? 'POST' : 'GET') ? '' : ` -X ${method}`;
  const lines = [`curl -sS${verb} ${shellWord(origin + path)}`, '-H "Authorization: Bearer $FLEETWATCH_KEY"'];
  if (body) {
    const short = JSON.stringify(body);
    lines.push(`-d ${shellWord(short.length < LONG ? short : JSON.stringify(body, null, 2))}`);
  }
  return lines.join(' \\\n  ');
}
