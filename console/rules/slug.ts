/** The most characters of a slug. */
const MAX_LENGTH = 64;

/** A slug for a name: `Web shop (EU)` gives `web-shop-eu`. Empty for a name without Latin letters and digits. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_LENGTH)
    .replace(/-$/, '');
