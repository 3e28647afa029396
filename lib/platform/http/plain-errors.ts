import type * as z from 'zod';

type Primitive = z.core.util.Primitive;

const TYPES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const SIZES: Record<string, string> = { string: 'characters', array: 'members', record: 'members' };

const FORMATS: Record<string, string> = {
  email: 'an e-mail address',
  url: 'a URL',
  datetime: 'an ISO 8601 time',
};

/**
 * What a schema says where it has no words of its own: what must be, in plain words, and nothing of what came. To be
 * given to each parse of what people send or set.
 */
export const plainErrors: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${TYPES[typeOf(issue)] ?? issue.expected}`;
    case 'invalid_value':
      return choice(issue.values, issue.input);
    case 'invalid_union': {
      const kind = issue.discriminator as string | undefined;
      if (kind === undefined || !issue.options) return 'has none of the possible forms';
      return choice(issue.options as Primitive[], (issue.input as Record<string, unknown> | undefined)?.[kind]);
    }
    case 'too_big':
      return bound(issue, 'at most', issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'too_small':
      return bound(issue, 'at least', issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'of another form'}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      return 'holds a name that is not possible';
    default:
      return 'is not possible';
  }
};

/** A whole number says what it is also to what is no number at all. */
function typeOf({ expected, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  const { format } = (inst?._zod.def ?? {}) as { format?: string };
  return expected === 'number' && format?.includes('int') ? 'int' : expected;
}

function choice(values: readonly Primitive[], input: unknown): string {
  const rule = (values.length === 1 ? '' : 'one of ') + values.map(String).join(', ');
  return input === undefined ? `is required: ${rule}` : `must be ${rule}`;
}

function bound(issue: { origin?: string }, size: string, value: string, limit: number | bigint): string {
  const unit = SIZES[issue.origin ?? ''];
  return unit ? `must have ${size} ${limit} ${unit}` : `must be ${value} ${limit}`;
}
