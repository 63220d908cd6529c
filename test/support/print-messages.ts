import { AishError, formatError } from '../../src/protocol/error.ts';

/** Sample arguments for each formatter of a messages module. */
export type Samples<Messages> = {
  readonly [Name in keyof Messages as Messages[Name] extends (...args: never[]) => unknown
    ? Name
    : never]: Messages[Name] extends (...args: infer Arguments) => unknown ? readonly Arguments[] : never;
};

/** Prints every message of a room, sorted by its name in the code; errors with their hints. */
export function printMessages<Messages extends object>(messages: Messages, samples: Samples<Messages>): string {
  const given: Readonly<Record<string, readonly (readonly unknown[])[]>> = Object(samples);
  const all = Object.entries(messages).flatMap(([name, message]: [string, unknown]) => {
    if (typeof message !== 'function') return [toText(message)];
    const args = given[name] ?? [];
    if (args.length === 0) throw new Error(`no sample for ${name}`);
    return args.map((one) => toText(Reflect.apply(message, null, one)));
  });
  return `\n${all.join('\n')}\n`;
}

function toText(message: unknown): string {
  if (message instanceof AishError) return formatError(message);
  return typeof message === 'object' ? Object.values(Object(message)).map(toText).join(' | ') : String(message);
}
