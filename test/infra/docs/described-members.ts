// biome-ignore lint/suspicious/noExplicitAny: a JSON document, as deep as it is
type Json = any;

/** A member of a schema: where it stands, and the schema that it has there. */
export type Member = { place: string; schema: Json };

/** Every member of every request, answer and event of an OpenAPI document, and every parameter. */
export function membersOf(document: Json): Member[] {
  const found: Member[] = [];
  const walk = (schema: Json, place: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const option of ['anyOf', 'oneOf', 'allOf'].flatMap((word) => schema[word] ?? [])) walk(option, place);
    walk(schema.items, `${place}[]`);
    walk(schema.additionalProperties, `${place}.*`);
    for (const [name, member] of Object.entries<Json>(schema.properties ?? {})) {
      found.push({ place: `${place}.${name}`, schema: member });
      walk(member, `${place}.${name}`);
    }
  };
  const parameters = (place: string, operation: Json) => {
    for (const one of operation.parameters) found.push({ place: `${place} ${one.in} ${one.name}`, schema: one });
  };
  for (const [name, schema] of Object.entries<Json>(document.components.schemas)) walk(schema, name);
  for (const [path, methods] of Object.entries<Json>({ ...document.paths, ...document.webhooks })) {
    for (const [method, operation] of Object.entries<Json>(methods)) {
      const place = `${method.toUpperCase()} ${path}`;
      parameters(place, operation);
      walk(operation.requestBody?.content['application/json'].schema, `${place} takes`);
      for (const [status, { content }] of Object.entries<Json>(operation.responses)) {
        // A list may be had a record a line as well: the same members.
        walk(Object.values<Json>(content ?? {})[0]?.schema, `${place} answers ${status}`);
      }
    }
  }
  return found;
}
