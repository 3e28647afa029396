import { type FieldSpec, fieldsOf, type MemberSchema } from './form-fields.ts';

type Made = {
  entity?: { blueprint: string; slug: string };
  check?: string;
  channel?: string;
};

/** Parses the progress: `?entity=service/web-shop&check=chk_1`. A record without its parent is ignored. */
export function readStart(query: URLSearchParams): Made {
  const [, blueprint, slug] = /^([^/]+)\/([^/]+)$/.exec(query.get('entity') ?? '') ?? [];
  if (!blueprint || !slug) return {};
  const check = query.get('check');
  if (!check) return { entity: { blueprint, slug } };
  const channel = query.get('channel');
  return { entity: { blueprint, slug }, check, ...(channel && { channel }) };
}

/** Returns the number of the next step, 1 to 4. */
export const currentStep = ({ entity, check, channel }: Made): number => (!entity ? 1 : !check ? 2 : channel ? 4 : 3);

const WORTH_ASKING = new Set(['interval_seconds', 'config.grace_seconds']);

/** Returns the fields of a first check: required ones and a few others. */
export const firstFields = (schema: MemberSchema): FieldSpec[] =>
  fieldsOf(schema, ['entity_id']).filter(({ path, required }) => required || WORTH_ASKING.has(path));
