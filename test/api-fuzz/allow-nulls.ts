import type { OpenApi } from '#infra/docs/openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, as deep as it is
type Json = any;

/**
 * Returns the document with null allowed for every optional property of a body or its config; null counts as absent.
 * The published document does not state that for each property, because each property would then have two types.
 */
export function allowNulls(document: OpenApi): OpenApi {
  const copy = structuredClone(document);
  const done = new Set<Json>();
  for (const operation of Object.values(copy.paths).flatMap((methods) => Object.values(methods))) {
    const body = operation.requestBody?.content['application/json'].schema;
    if (body) allow(body);
  }
  return copy;

  function allow(schema: Json): void {
    const whole = schema.$ref ? copy.components.schemas[schema.$ref.split('/').at(-1)] : schema;
    if (done.has(whole)) return;
    done.add(whole);
    for (const one of whole.oneOf ?? []) allow(one);
    if (whole.properties?.config) allow(whole.properties.config);
    for (const [name, member] of Object.entries<Json>(whole.properties ?? {})) {
      if (!whole.required?.includes(name)) whole.properties[name] = { anyOf: [member, { type: 'null' }] };
    }
  }
}
