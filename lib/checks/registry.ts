import type { CheckType } from './check-type.ts';
import { dns } from './types/dns.ts';
import { http } from './types/http.ts';
import { push } from './types/push.ts';
import { tcp } from './types/tcp.ts';
import { tls } from './types/tls.ts';

/** Every check type: the only list. A new one is a file in types/ and a word here. */
const kinds = [http, tcp, tls, dns, push] as const;

/** The types by name, in the order of the list. */
export const checkTypes: ReadonlyMap<string, CheckType> = new Map(kinds.map((kind) => [kind.type, kind]));

/** The type of a stored check. Throws when the item names one that this code does not know. */
export function checkTypeOf(name: string): CheckType {
  const type = checkTypes.get(name);
  if (!type) throw new Error(`No check type ${name} in lib/checks/registry.ts.`);
  return type;
}
