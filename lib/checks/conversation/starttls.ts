import type { Action } from './converse.ts';
import type { Expectation } from './expectation.ts';
import type { STARTTLS_PROTOCOLS } from './steps.ts';

const REPLY_BYTES = 8 * 1024;

/** Expects a reply with a known end. @param last pattern of the end of the reply; its first group is the status */
function reply(condition: string, last: RegExp, isExpected: (text: string, kind: string) => boolean): Expectation {
  const findEnd = (received: Buffer) => last.exec(received.toString('latin1'));
  return {
    condition,
    maxBytes: REPLY_BYTES,
    find: (received) => {
      const found = findEnd(received);
      if (!found) return -1;
      const end = found.index + found[0].length;
      return isExpected(received.toString('latin1', 0, end), found[1]!) ? end : -1;
    },
    isOver: (received) => findEnd(received) !== null,
  };
}

/** Last line of an SMTP or FTP reply (RFC 5321, 4.2.1; RFC 959, 4.2): a space or nothing follows the code. */
const CODE = /^(\d{3})(?: [^\n]*)?\r?\n/m;
const code = (expected: string): Action => ({
  expect: reply(`to be ${expected}`, CODE, (_, kind) => kind === expected),
});

const status = (last: RegExp, expected: string): Action => ({
  expect: reply(`to be ${expected}`, last, (_, kind) => kind.toUpperCase() === expected),
});

export const STARTTLS = {
  /** RFC 3207. */
  smtp: [
    code('220'),
    { send: 'EHLO fleetwatch\r\n' },
    { expect: reply('to contain "STARTTLS"', CODE, (text) => /^250[ -]STARTTLS\b/im.test(text)) },
    { send: 'STARTTLS\r\n' },
    code('220'),
    { starttls: true },
  ],
  /** RFC 9051, 6.2.1. */
  imap: [
    status(/^\* (OK|BYE|PREAUTH)\b[^\n]*\n/im, 'OK'),
    { send: 'a1 STARTTLS\r\n' },
    status(/^a1 (OK|NO|BAD)\b[^\n]*\n/im, 'OK'),
    { starttls: true },
  ],
  /** RFC 2595, 4. */
  pop3: [
    status(/^(\+OK|-ERR)[^\n]*\n/m, '+OK'),
    { send: 'STLS\r\n' },
    status(/^(\+OK|-ERR)[^\n]*\n/m, '+OK'),
    { starttls: true },
  ],
  /** RFC 4217, 4. */
  ftp: [code('220'), { send: 'AUTH TLS\r\n' }, code('234'), { starttls: true }],
  /** SSLRequest of PostgreSQL's protocol (its documentation, 54.2.10): S, or N if TLS is disabled. */
  postgres: [
    { send: '\u0000\u0000\u0000\u0008\u0004\u00d2\u0016\u002f' },
    status(/^([\s\S])/, 'S'),
    { starttls: true },
  ],
} satisfies Record<(typeof STARTTLS_PROTOCOLS)[number], Action[]>;
