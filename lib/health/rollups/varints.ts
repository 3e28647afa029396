/**
 * Whole numbers, 0 to 2^53 - 1, as text: each in LEB128 (seven bits a byte, the lowest first, the top bit set while
 * more follow; DWARF 5, section 7.6), the bytes in base64url without padding (RFC 4648, section 5).
 */
export function varintText(numbers: readonly number[]): string {
  const bytes: number[] = [];
  for (const number of numbers) {
    // No shifts: those of JavaScript end at 32 bits.
    let rest = number;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push(0x80 + (rest % 0x80));
    bytes.push(rest);
  }
  return Buffer.from(bytes).toString('base64url');
}

/**
 * The numbers of such a text.
 * @throws Error when the last number has no end
 */
export function varintsOf(text: string): number[] {
  const numbers: number[] = [];
  let number = 0;
  let scale = 1;
  for (const byte of Buffer.from(text, 'base64url')) {
    number += (byte % 0x80) * scale;
    if (byte < 0x80) {
      numbers.push(number);
      number = 0;
      scale = 1;
    } else {
      scale *= 0x80;
    }
  }
  if (scale > 1) throw new Error(`Varints are cut off in "${text}".`);
  return numbers;
}
