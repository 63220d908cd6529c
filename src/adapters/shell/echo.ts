/** Takes the echo of one of our lines out of what the terminal shows. */
export function withoutLine(bytes: Uint8Array, line: string): Uint8Array {
  const text = Buffer.from(bytes);
  const echo = toEchoOfLine(line);
  const start = text.indexOf(echo.trimEnd());
  return start < 0 ? bytes : Buffer.concat([text.subarray(0, start), text.subarray(start + echo.length)]);
}

function toEchoOfLine(line: string): string {
  return line.replaceAll('\n', '\r\n');
}

/** So much of a line is enough to know it by. */
const KNOWN_BY = 16;

/** What came before the echo of one of our lines; nothing where it is not there. */
export function beforeLine(bytes: Uint8Array, line: string): Uint8Array {
  const start = Buffer.from(bytes).indexOf(toEchoOfLine(line).slice(0, KNOWN_BY));
  return bytes.subarray(0, Math.max(0, start));
}

/** Whether an output is nothing but what the terminal showed of keys while they were typed. */
export function isEcho(output: Uint8Array, typed: Uint8Array): boolean {
  return Buffer.from(toEcho(typed), 'latin1').includes(output);
}

function toEcho(typed: Uint8Array): string {
  return Array.from(typed, (byte) => {
    if (byte === 0x0d) return '\r\n';
    // The key that ends a text leaves no trace; it would be wiped out again.
    if (byte === 0x04) return '';
    return byte < 0x20 && byte !== 0x09 ? `^${String.fromCharCode(byte + 0x40)}` : String.fromCharCode(byte);
  }).join('');
}
