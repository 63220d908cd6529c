/** Takes the echo of one of our lines out of what the terminal shows. */
export function withoutLine(bytes: Uint8Array, line: string): Uint8Array {
  const text = Buffer.from(bytes);
  const start = text.indexOf(line.trimEnd());
  return start < 0 ? bytes : Buffer.concat([text.subarray(0, start), text.subarray(start + line.length + 1)]);
}
