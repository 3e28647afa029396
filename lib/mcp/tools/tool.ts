import * as z from 'zod';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import type { Guarded } from '#lib/platform/http/access.ts';

/** Hints to a client about what a tool does (MCP, ToolAnnotations). */
export type Annotations = {
  readOnlyHint: boolean;
  destructiveHint?: boolean;
  openWorldHint: boolean;
};

/** It only reads what this service knows. */
export const READS: Annotations = { readOnlyHint: true, openWorldHint: false };

/** It changes what this service knows, and nothing is lost by that. */
export const CHANGES: Annotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

/** The same, and servers of others hear of it. */
export const REACHES_OUT: Annotations = { ...CHANGES, openWorldHint: true };

/** What is known of a built-in tool before its first call loads it. */
export type LazyTool = {
  /** What it takes to call it, beside the access to MCP. */
  access: Guarded;
  annotations: Annotations;
  load: () => Promise<Tool>;
};

/** A built-in tool: what a model is told of it, and the use case that a call runs. */
type Tool = {
  description: string;
  /** Judges the arguments, whatever schema a skill registered for the name. */
  input: z.ZodObject;
  /** The call's structuredContent. Throws AppError. */
  run(context: StateContext, input: unknown): Promise<object>;
};

/** A tool with its arguments typed by its schema. */
export const defineTool = <Input extends z.ZodObject>(
  tool: Omit<Tool, 'input' | 'run'> & {
    input: Input;
    run(context: StateContext, input: z.output<Input>): Promise<object>;
  },
): Tool => tool as Tool;

/** How far back a tool looks, in hours. */
export const hours = (fallback: number) => z.int().min(1).max(87_600).default(fallback);

/** The most that a tool answers: its text and its structured copy together stay under a gateway's 6 MB. */
export const TOOL_PAGE = { limit: 1000, maxBytes: 1_000_000 };

/** A list's member, and a note for the model when there is more than it got. */
export const listed = <T>(
  member: string,
  { values, next }: { values: T[]; next?: string },
  advice: string,
): object => ({
  [member]: values,
  ...(next !== undefined && { truncated: `Only the first ${values.length} are shown. ${advice}` }),
});
