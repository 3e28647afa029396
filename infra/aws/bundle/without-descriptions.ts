/** A call of zod's `describe` with nothing but a literal text, as a minifier writes it. */
const DESCRIBED = /\.describe\((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)\)/g;

/**
 * Code without the descriptions of its schemas. They are for the documents, which are made beforehand and carried
 * packed; in a function they would be text to load, and each a copy of its schema to make at every start.
 */
export const withoutDescriptions = (code: string): string => code.replace(DESCRIBED, '');
