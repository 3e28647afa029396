const MAX_LENGTH = 64;

/** Returns a slug for a name: `web-shop-eu` for `Web shop (EU)`. Empty for a name without Latin letters and digits. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_LENGTH)
    .replace(/-$/, '');

export const withSlug = (draft: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...draft,
  slug: draft.slug || slugOf(draft.name ?? ''),
});
