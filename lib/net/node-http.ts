/** `node:http` without its lazy exports: an import would load fetch and WebSocket, 7 MB. Types can be imported. */
const http = process.getBuiltinModule('node:http');

export const createServer = http.createServer;
export const request = http.request;
export const STATUS_CODES = http.STATUS_CODES;
