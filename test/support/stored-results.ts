import { RESULTS } from '#lib/keys.ts';

/** SQL condition on rows of `items`: separately stored results. */
export const IS_RESULT = `sk >= '${RESULTS}' AND sk < '${RESULTS}~'`;

/** SQL condition on rows of `items`: packs of quiet results. */
export const IS_PACK = "pk LIKE 'T#%#PACKS#%'";
