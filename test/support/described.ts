import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { documentOf } from '#infra/docs/generate.ts';

/** A schema that the document gives for an answer; undefined where an answer has no body. */
type Validate = ((body: unknown) => boolean) & { errors?: unknown };

// In this reading, answers hold nothing that the document does not state.
const document = documentOf({ strict: true });
const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
// Which text may hold is for forms to know: each character is one byte (lib/checks/conversation/steps.ts).
ajv.addFormat('bytes', true);
ajv.addSchema(document, 'api');

const wordsFirst = ({ parts }: { parts: string[] }): string =>
  parts.map((part) => (part.startsWith('{') ? '1' : '0')).join('');
/** A word to the letter comes before a parameter, as in the rows' own matching. */
const paths = Object.keys(document.paths)
  .map((path) => ({ path, parts: path.split('/') }))
  .sort((a, b) => (wordsFirst(a) < wordsFirst(b) ? -1 : 1));
const validators = new Map<string, Validate | undefined>();

/**
 * Holds an answer to the API's document: its status is stated there for this endpoint, its body fits, member for
 * member, and a page says so in `Link` where the document says that it may. Paths and methods that it does not have
 * are none of its business.
 * @throws Error that names the endpoint and what does not fit
 */
export function assertDescribed(method: string, path: string, answer: { status: number; body: unknown }): void {
  const parts = path.replace(/\?.*$/s, '').split('/');
  const known = paths.find((one) => fits(one.parts, parts));
  const operation = known && document.paths[known.path]?.[method.toLowerCase()];
  if (!known || !operation) return;
  const response = operation.responses[answer.status];
  const what = `${method} ${known.path} answered ${answer.status}`;
  if (!response) throw new Error(`${what}, which its row does not state: ${JSON.stringify(answer.body)}`);
  const place = response.$ref ?? `#/paths/${escaped(known.path)}/${method.toLowerCase()}/responses/${answer.status}`;
  const validate = validatorAt(place);
  if (!validate) {
    if (answer.body !== undefined) throw new Error(`${what} with a body, where its row states none.`);
  } else if (!validate(answer.body)) {
    const wrong = ajv.errorsText(validate.errors as never, { dataVar: 'answer', separator: '\n  ' });
    throw new Error(`${what}, off its schema:\n  ${wrong}\n${JSON.stringify(answer.body)?.slice(0, 2000)}`);
  }
}

/** The schema of a response, which stands at `place` in the document. */
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

/** A parameter stands for one segment. */
const fits = (row: string[], parts: string[]): boolean =>
  row.length === parts.length && row.every((part, i) => (part.startsWith('{') ? parts[i] !== '' : part === parts[i]));
