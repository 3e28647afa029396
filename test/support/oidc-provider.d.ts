// The parts of oidc-provider, which has no types, that the tests use.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export type Middleware = (
    // biome-ignore lint/suspicious/noExplicitAny: the context of Koa
    ctx: any,
    next: () => Promise<void>,
  ) => Promise<void>;

  export default class Provider {
    constructor(issuer: string, configuration: object);
    use(middleware: Middleware): void;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  export default class MemoryAdapter {}
}
