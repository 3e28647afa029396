/** The pattern of a check's slug, as that of Healthchecks has it. */
export const SLUG = '[a-z0-9][a-z0-9_-]{0,63}';

/** What a slug of a check looks like. */
export const CHECK_SLUG = new RegExp(`^${SLUG}$`);
