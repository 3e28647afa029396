import fc from 'fast-check';
import { type BuiltIn, variablesOf } from '#lib/actions/template/variables.ts';

/** Variables of a template, with the built-in ones. */
export const vars = (values: Record<string, string>, builtIn: BuiltIn = {}) => variablesOf(builtIn, values);

/** Random value of a variable. */
export const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
