import fc from 'fast-check';
import { type BuiltIn, variablesOf } from '#lib/actions/template/variables.ts';

/** Variables of a template, with those that the service itself gives. */
export const vars = (values: Record<string, string>, builtIn: BuiltIn = {}) => variablesOf(builtIn, values);

/** Whatever a variable may hold. */
export const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
