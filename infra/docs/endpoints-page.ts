import type { OpenApi } from './openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, as deep as it is
type Json = any;

/** The endpoints as a page to read: what each takes, answers and refuses, with a real exchange. Pure. */
export function endpointsPage({ paths, info, tags }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const byTag = Object.groupBy(operations, ({ operation }) => operation.tags[0]);
  const parts = Object.entries(byTag).map(
    ([tag, rows = []]) => `## ${tag}\n\n${aboutOf(tag)}${rows.map(section).join('\n')}`,
  );
  return `# Endpoints

Made by \`npm run openapi\` from the rows that serve them; do not edit. The same as a document for machines:
\`GET /v1/openapi.json\`, or [openapi.json](openapi.json) beside this page. The examples are real answers. What each
member means, with type, default and bounds: [REFERENCE.md](../docs/REFERENCE.md). Lists of more than five are cut to three.

${tags.map(({ name, description }: Json) => `- [${name}](#${name.replaceAll('.', '')}): ${description}`).join('\n')}

${info.description}

${parts.join('\n')}`;

  function section({ method, path, operation }: { method: string; path: string; operation: Json }): string {
    const { summary, description, parameters, requestBody, responses, security } = operation;
    const [status, success] = Object.entries<Json>(responses)[0]!;
    const codes = Object.entries<Json>(responses)
      .filter(([answered]) => Number(answered) >= 400)
      .flatMap(([, { $ref }]) => ($ref ? $ref.split('/').at(-1).split('.') : []))
      .filter((code: string) => !EVERYWHERE.has(code));
    const request = requestBody?.content['application/json'];
    const answer = success.content?.['application/json'];
    const lines = [
      `### ${method} ${path}`,
      `${summary}.${description ? ` ${description}` : ''}${security ? ' Open: needs no key.' : ''}`,
      parameters
        .filter((one: Json) => one.in !== 'path')
        .map(parameterLine)
        .join('\n'),
      request && `Takes ${nameOf(request.schema)}:${requests(request)}`,
      `Answers ${status}${answer ? ` ${nameOf(answer.schema)}${answer.example === undefined ? '.' : `:${block(answer.example)}`}` : '.'}`,
      codes.length > 0 && `Refuses with ${codes.join(', ')}.`,
    ];
    return `${lines.filter(Boolean).join('\n\n')}\n`;
  }

  function aboutOf(tag = ''): string {
    return `${tags.find(({ name }: Json) => name === tag).description}\n\n`;
  }

  function nameOf(schema: Json): string {
    if (schema.$ref) return `\`${schema.$ref.split('/').at(-1)}\``;
    if (schema.type === 'array') return `an array of ${nameOf(schema.items)}`;
    if (schema.anyOf) return schema.anyOf.map(nameOf).join(' or ');
    return schema.type === 'string' ? 'strings' : 'an object';
  }
}

/** What any call may meet. */
const EVERYWHERE = new Set(['UNAUTHORIZED', 'ACCOUNT_DISABLED', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE']);

const parameterLine = ({ name, in: place, description }: Json): string =>
  `- \`${name}\` (${place})${description ? `: ${description}` : ''}`;

/** Its example, or one of each kind that there is. */
const requests = ({ example, examples }: Json): string =>
  examples
    ? Object.entries<Json>(examples)
        .map(([name, { value }]) => `\n\n\`${name}\`:${block(value)}`)
        .join('')
    : block(example);

const block = (example: unknown): string =>
  example === undefined ? '' : `\n\n\`\`\`json\n${JSON.stringify(example, shortened, 2)}\n\`\`\``;

const shortened = (_name: string, value: unknown): unknown =>
  Array.isArray(value) && value.length > 5 ? value.slice(0, 3) : value;
