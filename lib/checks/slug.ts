/** Pattern of a check's slug, the same as in Healthchecks. */
export const SLUG = '[a-z0-9][a-z0-9_-]{0,63}';

export const CHECK_SLUG = new RegExp(`^${SLUG}$`);
