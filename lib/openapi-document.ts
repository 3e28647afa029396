import document from './openapi.json' with { type: 'json' };

/** What `npm run openapi` has written. A module of its own, as functions on AWS carry it packed. */
export default document;
