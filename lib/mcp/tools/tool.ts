import * as z from 'zod';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import type { Guarded } from '#lib/platform/http/access.ts';

/** Hints for clients about a tool (MCP, ToolAnnotations). */
export type Annotations = {
  readOnlyHint: boolean;
  destructiveHint?: boolean;
  openWorldHint: boolean;
};

/** Hints of a tool that only reads data of the service. */
export const READS: Annotations = { readOnlyHint: true, openWorldHint: false };

export const CHANGES: Annotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

export const DELETES: Annotations = { ...CHANGES, destructiveHint: true };

export const REACHES_OUT: Annotations = { ...CHANGES, openWorldHint: true };

/** Built-in tool whose module is imported on first use. */
export type LazyTool = {
  /** Access required in addition to that of MCP. */
  access: Guarded;
  annotations: Annotations;
  load: () => Promise<Tool>;
};

type Tool = {
  description: string;
  /** Validates the arguments. tools/list instead shows the `inputSchema` of the tool in its skill. */
  input: z.ZodObject;
  run(context: StateContext, input: unknown): Promise<object>;
};

export const defineTool = <Input extends z.ZodObject>(
  tool: Omit<Tool, 'input' | 'run'> & {
    input: Input;
    run(context: StateContext, input: z.output<Input>): Promise<object>;
  },
): Tool => tool as Tool;

/** Returns the schema of a number of hours before now: 1 to 87,600 (ten years). */
export const hours = (fallback: number) => z.int().min(1).max(87_600).default(fallback);

/** Limits of a result: its text and structured copy together stay below the 6 MB that a Lambda function can return. */
export const TOOL_PAGE = { limit: 1000, maxBytes: 1_000_000 };

/** Returns a list with a note for the model if truncated. @param advice sentence of the note: how to get the rest */
export const listed = <T>(
  property: string,
  { values, next }: { values: T[]; next?: string },
  advice: string,
): { truncated?: string } => ({
  [property]: values,
  ...(next !== undefined && { truncated: `${shownText(property, values.length)} ${advice}` }),
});

export const mergeListed = (...lists: { truncated?: string }[]): object => {
  const notes = lists.flatMap(({ truncated }) => truncated ?? []);
  return { ...Object.assign({}, ...lists), ...(notes.length > 0 && { truncated: notes.join(' ') }) };
};

const shownText = (property: string, count: number): string =>
  count === 0 ? 'The search ended before a match.' : `${property}: only the first ${count} are shown.`;
