import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { documentOf } from '#infra/docs/generate.ts';

/** Validator of a response; undefined if the response has no body. */
type Validate = ((body: unknown) => boolean) & { errors?: unknown };

// In strict mode, the schemas reject undocumented properties of responses.
const document = documentOf({ strict: true });
const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
// Only forms check this format: text whose characters are one byte each (lib/checks/conversation/steps.ts).
ajv.addFormat('bytes', true);
ajv.addSchema(document, 'api');

const literalsFirst = ({ parts }: { parts: string[] }): string =>
  parts.map((part) => (part.startsWith('{') ? '1' : '0')).join('');
/** Paths of the document, in the order of the router: a literal segment precedes a parameter. */
const paths = Object.keys(document.paths)
  .map((path) => ({ path, parts: path.split('/') }))
  .sort((a, b) => (literalsFirst(a) < literalsFirst(b) ? -1 : 1));
const validators = new Map<string, Validate | undefined>();

/**
 * Validates a response against the API document: its status is documented for this endpoint, and its body matches the
 * schema. Ignores paths and methods that the document does not have.
 * @throws Error that names the endpoint and the mismatch
 */
export function assertDescribed(method: string, path: string, reply: { status: number; body: unknown }): void {
  const parts = path.replace(/\?.*$/s, '').split('/');
  const known = paths.find((one) => fits(one.parts, parts));
  const operation = known && document.paths[known.path]?.[method.toLowerCase()];
  if (!known || !operation) return;
  const response = operation.responses[reply.status];
  const what = `${method} ${known.path} returned ${reply.status}`;
  if (!response) throw new Error(`${what}, a status that its route does not declare: ${JSON.stringify(reply.body)}`);
  const place = response.$ref ?? `#/paths/${escaped(known.path)}/${method.toLowerCase()}/responses/${reply.status}`;
  const validate = validatorAt(place);
  if (!validate) {
    if (reply.body !== undefined) throw new Error(`${what} with a body, but its route declares none.`);
  } else if (!validate(reply.body)) {
    const wrong = ajv.errorsText(validate.errors as never, { dataVar: 'body', separator: '\n  ' });
    throw new Error(
      `${what} with a body that does not match its schema:\n  ${wrong}\n${JSON.stringify(reply.body)?.slice(0, 2000)}`,
    );
  }
}

/** Returns the validator of the response at `place` in the document. */
function validatorAt(place: string): Validate | undefined {
  if (!validators.has(place)) {
    const response = place
      .slice(2)
      .split('/')
      // biome-ignore lint/suspicious/noExplicitAny: a JSON document, as deep as it is
      .reduce((value: any, part) => value[unescaped(part)], document);
    const [type] = Object.keys(response.content ?? {});
    const schema = type === undefined ? undefined : { $ref: `api${place}/content/${escaped(type)}/schema` };
    validators.set(place, schema && (ajv.compile(schema) as Validate));
  }
  return validators.get(place);
}

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

/** Whether the segments of a request path match a documented path; a parameter is one segment. */
const fits = (pattern: string[], parts: string[]): boolean =>
  pattern.length === parts.length &&
  pattern.every((part, i) => (part.startsWith('{') ? parts[i] !== '' : part === parts[i]));
