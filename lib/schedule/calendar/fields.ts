import { CalendarError } from './calendar-error.ts';

/** One part of an expression. `names` stand for numbers from `from` on, in lower case. */
export type Field = { name: string; from: number; to: number; names?: readonly string[] };

/** A list of numbers as cron or OnCalendar writes it; they differ in what stands between the ends of a range. */
type Written = {
  /** Of cron `-`, of OnCalendar `..`. */
  range: '-' | '..';
  /** Counted from the end, as negative numbers: 1 is the last, -1. */
  fromEnd?: boolean;
};

/** The numbers that a list such as `1,5-9,20-59/10` stands for, ascending. @throws CalendarError */
export function numbersOf(field: Field, text: string, written: Written): number[] {
  const numbers = new Set(text.split(',').flatMap((part) => numbersOfPart(field, part, written)));
  return [...numbers].sort((a, b) => a - b);
}

function numbersOfPart(field: Field, part: string, written: Written): number[] {
  const [span = '', step, ...more] = part.split('/');
  if (more.length > 0) throw new CalendarError(`${field.name} ${part} has more than one step`);
  const every = step === undefined ? 1 : stepOf(field, part, step);
  const [from, to] = endsOf(field, span, written, step !== undefined);
  const numbers: number[] = [];
  for (let number = from; number <= to; number += every) numbers.push(number);
  return numbers;
}

/** A single number with a step goes on to the end. */
function endsOf(field: Field, span: string, { range, fromEnd }: Written, hasStep: boolean): [number, number] {
  if (span === '*' && hasStep && range === '..')
    throw new CalendarError(`${field.name} */ is not OnCalendar; write ${field.from}/ and the step`);
  if (span === '*' && !fromEnd) return [field.from, field.to];
  const [first = '', second, ...more] = span.split(range);
  if (more.length > 0) throw new CalendarError(`${field.name} ${span} has more than two ends`);
  const from = numberIn(field, first);
  const to = second === undefined ? from : numberIn(field, second);
  if (to < from) throw new CalendarError(`${field.name} ${span} runs backwards`);
  const goesOn = second === undefined && hasStep;
  return fromEnd ? [-to, goesOn ? -1 : -from] : [from, goesOn ? field.to : to];
}

function stepOf({ name }: Field, part: string, step: string): number {
  if (/^\d*[1-9]\d*$/.test(step)) return Number(step);
  throw new CalendarError(`${name} ${part} has no step such as /2`);
}

function numberIn({ name, from, to, names = [] }: Field, text: string): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return from + named;
  const values = names.length > 0 ? `${names[0]} to ${names.at(-1)} or ${from} to ${to}` : `${from} to ${to}`;
  if (!/^\d+$/.test(text)) throw new CalendarError(`${name} "${text}" is not known; write ${values}`);
  const value = Number(text);
  if (value > to) throw new CalendarError(`${name} ${text} is over ${to}`);
  if (value < from) throw new CalendarError(`${name} ${text} is under ${from}`);
  return value;
}
