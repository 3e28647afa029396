/**
 * `node:http`, got so that no more is loaded than it: to import it is to read each of its exports, and some of these
 * are a client of WebSockets and fetch that takes 7 MB and a tenth of the start. Types may be imported as ever.
 */
const http = process.getBuiltinModule('node:http');

export const createServer = http.createServer;
export const request = http.request;
export const STATUS_CODES = http.STATUS_CODES;
