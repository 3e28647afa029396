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

/** All check types. To add a type, add a file in types/ and an entry here. */
const types = [http, tcp, tls, dns, websocket, grpc, domain, push] as const;

/** All error kinds of checks, common and type-specific. */
export type ErrorKind = (typeof types)[number] extends CheckType<string, infer Kind> ? Kind : never;

export const ERRORS = Object.assign({}, COMMON_ERRORS, ...types.map(({ errors }) => errors)) as Record<
  ErrorKind,
  string
>;

export const checkTypes: ReadonlyMap<string, CheckType<string, ErrorKind>> = new Map(
  types.map((type) => [type.type, type]),
);

/** Returns the type of a stored check. Throws if the code does not have it. */
export function checkTypeOf(name: string): CheckType<string, ErrorKind> {
  const type = checkTypes.get(name);
  if (!type) throw new Error(`The check type ${name} is not in lib/checks/types/registry.ts.`);
  return type;
}

export const checkLabel = (check: CheckItem): string => check.name ?? checkTypeOf(check.check_type).targetLabel(check);

/** Returns the target of audit entries about a check, which its entity and slug also find. */
export const checkTarget = (check: CheckItem) => ({
  id: check.id,
  name: checkLabel(check),
  within: [check.entity_id, ...(check.slug === undefined ? [] : [check.slug])],
});
