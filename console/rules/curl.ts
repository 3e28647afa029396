/** API request, shown as a shell command. */
export type Command = { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; path: string; body?: object | undefined };

const MULTILINE_LENGTH = 60;

/** Quotes a text as one shell word (POSIX, section 2.2.2). */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns a request as a curl command that uses $FLEETWATCH_KEY. @param origin `https://status.example.com` */
export function curlOf({ method, path, body }: Command, origin: string): string {
  const verb = method === (body ? 'POST' : 'GET') ? '' : ` -X ${method}`;
  const lines = [`curl -sS${verb} ${shellWord(origin + path)}`, '-H "Authorization: Bearer $FLEETWATCH_KEY"'];
  if (body) {
    const short = JSON.stringify(body);
    lines.push(`-d ${shellWord(short.length < MULTILINE_LENGTH ? short : JSON.stringify(body, null, 2))}`);
  }
  return lines.join(' \\\n  ');
}
