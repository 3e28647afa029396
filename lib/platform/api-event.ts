/** The part of an API Gateway HTTP API event (payload format 2.0) that the service reads. */
export type ApiEvent = {
  rawPath: string;
  rawQueryString: string;
  headers: Record<string, string | undefined>;
  body?: string | undefined;
  isBase64Encoded: boolean;
  requestContext: {
    requestId: string;
    domainName?: string;
    http: { method: string; path: string; sourceIp?: string };
  };
};

/** What a function answers to API Gateway. */
export type ApiResult = { statusCode: number; headers: Record<string, string>; body: string };
