import { type FieldSpec, fieldsOf, type MemberSchema } from './form-fields.ts';

/** What was made so far in the first steps. */
type Made = {
  entity?: { blueprint: string; slug: string };
  /** Ids. */
  check?: string;
  channel?: string;
};

/** As the address has it: `?entity=service/web-shop&check=chk_1`. What lacks what it belongs to is passed over. */
export function readStart(query: URLSearchParams): Made {
  const [, blueprint, slug] = /^([^/]+)\/([^/]+)$/.exec(query.get('entity') ?? '') ?? [];
  if (!blueprint || !slug) return {};
  const check = query.get('check');
  if (!check) return { entity: { blueprint, slug } };
  const channel = query.get('channel');
  return { entity: { blueprint, slug }, check, ...(channel && { channel }) };
}

/** The number of the step that comes next, from 1 to 4. */
export const currentStep = ({ entity, check, channel }: Made): number => (!entity ? 1 : !check ? 2 : channel ? 4 : 3);

/** Members that are asked for although they have a default. */
const WORTH_ASKING = new Set(['interval_seconds', 'config.grace_seconds']);

/** The few fields that a first check of a type needs; all others are for its own page. */
export const firstFields = (schema: MemberSchema): FieldSpec[] =>
  fieldsOf(schema, ['entity_id']).filter(({ path, required }) => required || WORTH_ASKING.has(path));
