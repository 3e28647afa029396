import type { OpenApi } from '#infra/docs/openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, as deep as it is
type Json = any;

/**
 * The document with null for every member of a body, or of its config, that may be left out, which counts as absent.
 * The one for readers does not say so of each member, as it would double their types.
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
