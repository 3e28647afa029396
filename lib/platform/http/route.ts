import * as z from 'zod';
import type { ErrorCode } from '#lib/platform/errors.ts';
import type { Access } from './access.ts';

/** The media type of a record a line (NDJSON). */
export const LINES = 'application/x-ndjson';

/** The media type of an answer that is a text. */
export const PLAIN_TEXT = 'text/plain; charset=utf-8';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What the gates hand to an endpoint, beside its own context. */
type Call<Params, Query, Body, Loaded> = {
  params: Params;
  query: Query;
  body: Body;
  /** What `load` found. */
  loaded: Loaded;
  /** Header names in lower case. */
  headers: Record<string, string | undefined>;
  /** `name=value` each. */
  cookies: readonly string[];
  /** The address of this request, without query: for `Link`. */
  url: { path: string; search: URLSearchParams };
};

/** An answer with headers beside its record (paging, Location), or with cookies, each as Set-Cookie wants it. */
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

/** An answer of a row that `makes`: what it names was not there, and is now. */
export class CreatedReply<T> extends Reply<T> {
  constructor(value: T) {
    super(value, {});
  }
}

/** An answer that is already written as JSON. */
export class WrittenJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<Rest>
  : unknown;

/**
 * One endpoint. The gates have the order of docs/api/errors.md#order-of-validation: authentication, account, rate,
 * method, read-only, scope, role, then `load` (existence, then conflicts of state), then query and body by their
 * schemas, then `run`.
 */
export type Route<Context> = {
  method: Method;
  /** `/v1/checks/{id}`; one parameter a segment: an id or a slug, what cannot be one is NOT_FOUND. */
  path: string;
  /** Parameters of the path that are names instead: any text of 1 to 200 characters; at its end also with slashes. */
  names?: readonly string[];
  access: Access;
  /** What it is counted by, where that does not follow from method and access: rates.ts says what each is. */
  rate?: 'push' | 'send' | 'sign-in';
  /** For how many requests it counts; 1 unless said. */
  tokens?: number;
  /** An imperative sentence without a full stop, at most 60 characters. */
  summary: string;
  /** Side effects, limits and conditions that the summary leaves out. */
  description?: string;
  /** Status of success; 204 and 303 send no body, and 303 names its Location by a Reply. */
  status: 200 | 201 | 204 | 303;
  /** It makes what its path names where that is not there, and answers 201 then, by Made. */
  makes?: true;
  query?: z.ZodObject;
  /** Headers it heeds beside Authorization, by their usual names. */
  headers?: z.ZodObject;
  /** Absent: the body is not read at all. */
  body?: z.ZodType;
  /** Members of the body whose null says something: of all others it means absent. */
  nulls?: readonly string[];
  /** What it answers; absent where no body is sent. */
  reply?: z.ZodType;
  /** The list that it answers may be had a record a line (NDJSON), by Accept. */
  lines?: true;
  /** What it answers is a text, sent as it is. */
  text?: true;
  /** Codes it may answer beyond those that follow from the row: infra/docs/openapi.ts says which do. */
  errors?: readonly ErrorCode[];
  /** Largest body in bytes; default 256 KB. */
  maxBody?: number;
  load?: (context: Context, params: Record<string, string>) => Promise<unknown>;
  run: (context: Context, call: Call<never, never, never, never>) => Promise<unknown>;
};

type Out<S> = S extends z.ZodType ? z.output<S> : undefined;

/** Types one row by its own path and schemas: `const row = route<Ctx>()({ method: 'GET', path: … })`. */
export const route =
  <Context>() =>
  <
    const Path extends string,
    Loaded = undefined,
    Q extends z.ZodObject | undefined = undefined,
    B extends z.ZodType | undefined = undefined,
    R extends z.ZodType = z.ZodUnknown,
  >(
    row: {
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
      text?: true;
      errors?: readonly ErrorCode[];
      maxBody?: number;
      load?: (context: Context, params: ParamsOf<Path>) => Promise<Loaded>;
      run: (
        context: Context,
        call: Call<ParamsOf<Path>, Out<Q>, Out<B>, Loaded>,
      ) => Promise<z.output<R> | Reply<z.output<R>> | WrittenJson>;
    } & ({ status: 200 | 201; reply: R } | { status: 204 | 303; reply?: never }),
  ): Route<Context> =>
    row as unknown as Route<Context>;

/** An answer as it is sent. */
type Written = { text: string; type?: string };

/** What a row answers, in the form that its caller takes: a text, a record a line, or JSON, which needs no word. */
export function serializeAs<Context>(
  row: Pick<Route<Context>, 'text' | 'lines'>,
  value: unknown,
  accept?: string,
): Written {
  if (row.text) return { text: value as string, type: PLAIN_TEXT };
  if (row.lines && wantsLines(accept)) return { text: linesOf(value as unknown[]), type: LINES };
  return { text: value instanceof WrittenJson ? value.text : JSON.stringify(value) };
}

const wantsLines = (accept = ''): boolean =>
  accept.split(',').some((type) => type.split(';', 1)[0]!.trim().toLowerCase() === LINES);

const linesOf = (records: unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** Members that many records have, each with what the documents say of it. */

export const CreatedAt = z.iso.datetime().describe('When it was made, in UTC.');
export const UpdatedAt = z.iso.datetime().describe('When it was changed last, in UTC.');

/** @param what it names: `the check` */
export const IdOf = (what: string) => z.string().describe(`Id of ${what}.`);

/** A member of a record that was read, which a change takes back as it is. */
export const Unchanged = z.string().describe('May be sent along as it was read; it cannot change.');
