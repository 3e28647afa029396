/** The part of an API Gateway HTTP API event (payload format 2.0) that the service reads. */
export type ApiEvent = {
  rawPath: string;
  rawQueryString: string;
  headers: Record<string, string | undefined>;
  /** `name=value` each; absent where none came. They are not in the headers. */
  cookies?: string[];
  body?: string | undefined;
  isBase64Encoded: boolean;
  /**
   * In place of `body` where a host has not yet read it: nothing is kept of a body before somebody wants it. Of one of
   * more than `most` bytes it answers undefined, or with `cut` the first of them without waiting for the rest. Throws
   * RATE_LIMITED when too much is being received, VALIDATION_ERROR when it does not arrive whole.
   */
  readBody?: (most: number, cut?: 'cut') => Promise<Buffer | undefined>;
  requestContext: {
    requestId: string;
    domainName?: string;
    http: { method: string; path: string; sourceIp?: string };
  };
};

/** What a function answers to API Gateway. Each cookie becomes a header Set-Cookie. */
export type ApiResult = {
  statusCode: number;
  headers: Record<string, string>;
  cookies?: string[];
  body: string;
  /** The body stands for bytes: whoever writes the answer out decodes it. */
  isBase64Encoded?: boolean;
};

/** API Gateway hands them over apart from the headers, one each (payload format 2.0); what stands in for it may not. */
export const cookiesOf = ({ cookies, headers }: ApiEvent): string[] =>
  cookies ?? (headers.cookie ?? '').split(/; */).filter(Boolean);
