/** A value that may be a link: an absolute http or https URL. Any other scheme could run something, and is text. */
export const webUrl = (value: unknown): string | undefined =>
  typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : undefined;
