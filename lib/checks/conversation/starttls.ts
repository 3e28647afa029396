import type { Action } from './converse.ts';
import type { Expectation } from './expectation.ts';
import type { STARTTLS_PROTOCOLS } from './steps.ts';

/** A reply is a few lines; so many bytes of one are read. */
const REPLY_BYTES = 8 * 1024;

/** An answer whose end is known. @param last what it ends with; its first group says what it is */
function reply(wanted: string, last: RegExp, isWanted: (answer: string, kind: string) => boolean): Expectation {
  const look = (said: Buffer) => last.exec(said.toString('latin1'));
  return {
    wanted,
    most: REPLY_BYTES,
    find: (said) => {
      const found = look(said);
      if (!found) return -1;
      const end = found.index + found[0].length;
      return isWanted(said.toString('latin1', 0, end), found[1]!) ? end : -1;
    },
    isOver: (said) => look(said) !== null,
  };
}

/** A reply of SMTP or FTP (RFC 5321, 4.2.1; RFC 959, 4.2): its last line has a space behind the code, or nothing. */
const CODE = /^(\d{3})(?: [^\n]*)?\r?\n/m;
const code = (wanted: string): Action => ({ expect: reply(`to be ${wanted}`, CODE, (_, kind) => kind === wanted) });

const status = (last: RegExp, wanted: string): Action => ({
  expect: reply(`to be ${wanted}`, last, (_, kind) => kind.toUpperCase() === wanted),
});

/** How each protocol goes over to TLS. */
export const STARTTLS = {
  /** RFC 3207. */
  smtp: [
    code('220'),
    { send: 'EHLO fleetwatch\r\n' },
    { expect: reply('to contain "STARTTLS"', CODE, (answer) => /^250[ -]STARTTLS\b/im.test(answer)) },
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
  /** SSLRequest of PostgreSQL's protocol (its documentation, 54.2.10): S, or N where TLS is switched off. */
  postgres: [
    { send: '\u0000\u0000\u0000\u0008\u0004\u00d2\u0016\u002f' },
    status(/^([\s\S])/, 'S'),
    { starttls: true },
  ],
} satisfies Record<(typeof STARTTLS_PROTOCOLS)[number], Action[]>;
