/** null means absent: an object without such members, but for those named; anything else as it is. */
export const withoutNulls = (value: unknown, kept: readonly string[] = []): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([name, member]) => member !== null || kept.includes(name)))
    : value;
