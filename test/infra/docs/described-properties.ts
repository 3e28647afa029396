// biome-ignore lint/suspicious/noExplicitAny: a JSON document of any depth
type Json = any;

/** Property or parameter: its path in the document, and its schema. */
export type Property = { place: string; schema: Json };

/** Returns all properties of requests, responses and events of an OpenAPI document, and all parameters. */
export function propertiesOf(document: Json): Property[] {
  const found: Property[] = [];
  const walk = (schema: Json, place: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const option of ['anyOf', 'oneOf', 'allOf'].flatMap((word) => schema[word] ?? [])) walk(option, place);
    walk(schema.items, `${place}[]`);
    walk(schema.additionalProperties, `${place}.*`);
    for (const [name, property] of Object.entries<Json>(schema.properties ?? {})) {
      found.push({ place: `${place}.${name}`, schema: property });
      walk(property, `${place}.${name}`);
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
        // The second media type of a list, one record per line, has the same properties.
        walk(Object.values<Json>(content ?? {})[0]?.schema, `${place} answers ${status}`);
      }
    }
  }
  return found;
}
