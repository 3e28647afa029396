/**
 * `node:http` without its lazy exports: an import would read all of them, and some load a WebSocket and fetch client,
 * which takes 7 MB and a tenth of the startup time. Types can be imported normally.
 */
const http = process.getBuiltinModule('node:http');

export const createServer = http.createServer;
export const request = http.request;
export const STATUS_CODES = http.STATUS_CODES;
