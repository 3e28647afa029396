import * as z from 'zod';
import type { ErrorCode } from '#lib/platform/errors.ts';
import type { Access } from './access.ts';

export const LINES = 'application/x-ndjson';
/** Media type of CSV (RFC 7111), always with a header line. */
export const CSV = 'text/csv; charset=utf-8; header=present';

const PLAIN_TEXT = 'text/plain; charset=utf-8';
const TEXT_TYPES = { html: 'text/html; charset=utf-8', metrics: 'text/plain; version=0.0.4; charset=utf-8' } as const;
type TextFormat = true | keyof typeof TEXT_TYPES;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type Call<Params, Query, Body, Loaded> = {
  params: Params;
  query: Query;
  body: Body;
  loaded: Loaded;
  /** Header values by lower-case name. */
  headers: Record<string, string | undefined>;
  cookies: readonly string[];
  url: { path: string; search: URLSearchParams };
};

/** A response with additional headers or cookies (values of Set-Cookie). */
export class Reply<T> {
  readonly value: T;
  readonly headers: Record<string, string>;
  readonly cookies: string[];
  constructor(value: T, headers: Record<string, string>, cookies: string[] = []) {
    this.value = value;
    this.headers = headers;
    this.cookies = cookies;
  }
}

/** Response with status 201 of a route that has `makes`: the resource did not exist. */
export class CreatedReply<T> extends Reply<T> {
  constructor(value: T) {
    super(value, {});
  }
}

export class SerializedJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<Rest>
  : unknown;

/** One endpoint. `load` checks existence and conflicts with the state (docs/api/errors.md#order-of-validation). */
export type Route<Context> = {
  method: Method;
  /** `/v1/checks/{id}`; a parameter is one segment, an id or a slug. Any other value is NOT_FOUND. */
  path: string;
  /** Parameters that are names: text of 1 to 200 characters. At the end of the path, slashes are allowed. */
  names?: readonly string[];
  access: Access;
  /** Rate class (rates.ts), if it does not follow from method and access. */
  rate?: 'push' | 'send' | 'sign-in';
  /** Number of requests that it counts as. Default: 1. */
  tokens?: number;
  /** An imperative sentence without a full stop, at most 60 characters. */
  summary: string;
  description?: string;
  /** Status on success; 204 and 303 send no body. 303 sets Location by a Reply. */
  status: 200 | 201 | 204 | 303;
  /** Whether it creates a missing resource and then returns 201 by CreatedReply. */
  makes?: true;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  /** If absent, the body is not read. */
  body?: z.ZodType;
  /** Properties of the body for which null is a value; for all others null means absent. */
  nulls?: readonly string[];
  reply?: z.ZodType;
  /** Whether a client can request NDJSON with the Accept header. */
  lines?: true;
  /** Converts the response to CSV, which a client can then request with the Accept header. */
  csv?: (value: never) => string;
  text?: TextFormat;
  /** Error codes in addition to the codes that infra/docs/openapi.ts derives from the route. */
  errors?: readonly ErrorCode[];
  /** Maximum body in bytes. Default: 256 KB. */
  maxBody?: number;
  load?: (context: Context, params: Record<string, string>) => Promise<unknown>;
  run: (context: Context, call: Call<never, never, never, never>) => Promise<unknown>;
};

type Out<S> = S extends z.ZodType ? z.output<S> : undefined;

/** Types a route by its path and schemas: `route<Ctx>()({ method: 'GET', path: … })`. */
export const route =
  <Context>() =>
  <
    const Path extends string,
    Loaded = undefined,
    Q extends z.ZodObject | undefined = undefined,
    B extends z.ZodType | undefined = undefined,
    R extends z.ZodType = z.ZodUnknown,
  >(
    definition: {
      method: Method;
      path: Path;
      names?: readonly (keyof ParamsOf<Path> & string)[];
      access: Access;
      rate?: 'push' | 'send' | 'sign-in';
      tokens?: number;
      summary: string;
      description?: string;
      makes?: true;
      query?: Q;
      headers?: z.ZodObject;
      body?: B;
      nulls?: readonly (keyof Out<B> & string)[];
      lines?: true;
      csv?: (value: z.output<R>) => string;
      text?: TextFormat;
      errors?: readonly ErrorCode[];
      maxBody?: number;
      load?: (context: Context, params: ParamsOf<Path>) => Promise<Loaded>;
      run: (
        context: Context,
        call: Call<ParamsOf<Path>, Out<Q>, Out<B>, Loaded>,
      ) => Promise<z.output<R> | Reply<z.output<R>> | SerializedJson>;
    } & ({ status: 200 | 201; reply: R } | { status: 204 | 303; reply?: never }),
  ): Route<Context> =>
    definition as unknown as Route<Context>;

export const textType = (text: TextFormat): string => (text === true ? PLAIN_TEXT : TEXT_TYPES[text]);

type Serialized = { text: string; type?: string };

/** Serializes a response as text, NDJSON, CSV or JSON, by the Accept header. */
export function serializeAs<Context>(
  route: Pick<Route<Context>, 'text' | 'lines' | 'csv'>,
  value: unknown,
  accept?: string,
): Serialized {
  if (route.text) return { text: value as string, type: textType(route.text) };
  if (route.lines && accepts(LINES, accept)) return { text: linesOf(value as unknown[]), type: LINES };
  if (route.csv && accepts(CSV, accept)) return { text: route.csv(value as never), type: CSV };
  return { text: value instanceof SerializedJson ? value.text : JSON.stringify(value) };
}

const nameOf = (type: string): string => type.split(';', 1)[0]!.trim().toLowerCase();

const accepts = (type: string, accept = ''): boolean =>
  accept.split(',').some((wanted) => nameOf(wanted) === nameOf(type));

const linesOf = (records: unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

export const CreatedAt = z.iso.datetime().describe('Time of creation, in UTC.');
export const UpdatedAt = z.iso.datetime().describe('Time of the last change, in UTC.');

/** @param what noun of the described thing: `the check` */
export const IdOf = (what: string) => z.string().describe(`Id of ${what}.`);

export const Unchanged = z.string().describe('Read-only; accepted only with its current value.');
