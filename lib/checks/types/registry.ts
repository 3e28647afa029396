import type { CheckItem } from '#lib/checks/check-item.ts';
import { type CheckType, COMMON_ERRORS } from './check-type.ts';
import { dns } from './dns.ts';
import { domain } from './domain.ts';
import { grpc } from './grpc.ts';
import { http } from './http.ts';
import { push } from './push.ts';
import { tcp } from './tcp.ts';
import { tls } from './tls.ts';
import { websocket } from './websocket.ts';

/** Every check type: the only list. A new one is a file in types/ and a word here. */
const kinds = [http, tcp, tls, dns, websocket, grpc, domain, push] as const;

/** What an error of a check may be: of a common kind, or of one that a type has added. */
export type ErrorKind = (typeof kinds)[number] extends CheckType<string, infer Kind> ? Kind : never;

/** Each kind of error, and what it means. */
export const ERRORS = Object.assign({}, COMMON_ERRORS, ...kinds.map((kind) => kind.errors)) as Record<
  ErrorKind,
  string
>;

/** The types by name, in the order of the list. */
export const checkTypes: ReadonlyMap<string, CheckType<string, ErrorKind>> = new Map(
  kinds.map((kind) => [kind.type, kind]),
);

/** The type of a stored check. Throws when the item names one that this code does not know. */
export function checkTypeOf(name: string): CheckType<string, ErrorKind> {
  const type = checkTypes.get(name);
  if (!type) throw new Error(`No check type ${name} in lib/checks/types/registry.ts.`);
  return type;
}

/** What people call a check: its name, else what it does to what. */
export const checkLabel = (check: CheckItem): string => check.name ?? checkTypeOf(check.check_type).targetLabel(check);
