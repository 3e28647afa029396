/** Returns an absolute HTTP or HTTPS URL that can be a link. Other schemes could run code. */
export const webUrl = (value: unknown): string | undefined =>
  typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : undefined;
