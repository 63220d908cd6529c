/** Ctrl-], and as terminals send it that tell all keys apart. */
const KEYBOARD_KEY = /^(?:\x1d|\x1b\[(?:93|\d+:\d*:93);5u)$/;

/** Whether this is the key that asks for the keyboard, lends it and takes it back. */
export function isKeyboardKey(bytes: Uint8Array): boolean {
  return bytes.length < 32 && KEYBOARD_KEY.test(Buffer.from(bytes).toString('latin1'));
}
