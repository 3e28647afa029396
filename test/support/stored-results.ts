import { RESULTS } from '#lib/keys.ts';

/** Of rows of `items`, in SQL: results of their own. */
export const IS_RESULT = `sk >= '${RESULTS}' AND sk < '${RESULTS}~'`;

/** Packs of quiet runs. */
export const IS_PACK = "pk LIKE 'T#%#PACKS#%'";
