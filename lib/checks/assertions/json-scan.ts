/**
 * Where the values of a JSON text stand, in the order in which they begin; names of members are among them. Of value
 * `i`: the text has it from `starts[i]` to `stops[i]`, and what it holds are the values from `i + 1` to `ends[i]`.
 */
export type JsonMarks = { starts: Uint32Array; stops: Uint32Array; ends: Uint32Array };

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [LIST, LIST_END, MAP, MAP_END] = [0x5b, 0x5d, 0x7b, 0x7d];
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPED = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORDS = ['true', 'false', 'null'];

/** Characters that are read in one turn of the event loop. */
const CHARACTERS_A_TURN = 128 * 1024;

/**
 * Finds the values of a JSON text (RFC 8259); undefined when it is none. `JSON.parse` takes over 100 ms for a MB of
 * small objects, and many times their size; this makes nothing of them, needs no stack, however deep they are, and lets
 * others have their turn wherever it yields.
 */
export function* scanJson(text: string): Generator<void, JsonMarks | undefined> {
  // Each value takes one character, and one more to stand apart from the next.
  const most = (text.length >> 1) + 2;
  const marks = { starts: new Uint32Array(most), stops: new Uint32Array(most), ends: new Uint32Array(most) };
  const { starts, stops, ends } = marks;
  const open: number[] = [];
  let count = 0;
  let at = 0;
  let turned = 0;

  const skipBlanks = () => {
    while (isBlank(text.charCodeAt(at))) at++;
  };
  /** Reads a value that holds no other; whether there is one. */
  const readScalar = (end: number): boolean => {
    if (end < 0) return false;
    starts[count] = at;
    stops[count] = end;
    ends[count] = ++count;
    at = end;
    return true;
  };
  const readName = (): boolean => {
    skipBlanks();
    if (text.charCodeAt(at) !== QUOTE || !readScalar(endOfText(text, at))) return false;
    skipBlanks();
    return text.charCodeAt(at++) === COLON;
  };
  /** Ends what is open. */
  const close = () => {
    const last = open.pop()!;
    stops[last] = ++at;
    ends[last] = count;
  };
  /** Behind a value: whether another one follows, or all is over; undefined when neither. */
  const readOn = (): 'value' | 'over' | undefined => {
    for (;;) {
      skipBlanks();
      const last = open.at(-1);
      if (last === undefined) return at === text.length ? 'over' : undefined;
      const isMap = text.charCodeAt(starts[last]!) === MAP;
      const character = text.charCodeAt(at);
      if (character === COMMA) {
        at++;
        return isMap && !readName() ? undefined : 'value';
      }
      if (character !== (isMap ? MAP_END : LIST_END)) return undefined;
      close();
    }
  };

  for (;;) {
    if (at - turned > CHARACTERS_A_TURN) {
      turned = at;
      yield;
    }
    skipBlanks();
    const character = text.charCodeAt(at);
    if (character === MAP || character === LIST) {
      starts[count] = at++;
      open.push(count++);
      skipBlanks();
      if (text.charCodeAt(at) === (character === MAP ? MAP_END : LIST_END)) close();
      else if (character === LIST || readName()) continue;
      else return undefined;
    } else if (!readScalar(character === QUOTE ? endOfText(text, at) : endOfWord(text, at))) return undefined;
    const next = readOn();
    if (next !== 'value') return next && marks;
  }
}

const isBlank = (character: number): boolean =>
  character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;

/** Where a text that begins here is over; -1 when it never is. */
function endOfText(json: string, from: number): number {
  for (let at = from + 1; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) return at + 1;
    if (character < 0x20) return -1;
    if (character !== BACKSLASH) continue;
    ESCAPED.lastIndex = at;
    if (!ESCAPED.test(json)) return -1;
    at = ESCAPED.lastIndex - 1;
  }
  return -1;
}

/** Where a number, true, false or null that begins here is over; -1 when there is none. */
function endOfWord(json: string, from: number): number {
  NUMBER.lastIndex = from;
  if (NUMBER.test(json)) return NUMBER.lastIndex;
  const word = WORDS.find((one) => json.startsWith(one, from));
  return word ? from + word.length : -1;
}
