import * as v from 'valibot';

/** The name of a model or a server: letters, digits, `-` and `_`. */
export const NAME = /^[A-Za-z0-9_-]+$/;

/** A text that is not empty. `line` is its line in the manual. */
export function text(line: string) {
  return v.pipe(v.string(), v.nonEmpty('must not be empty'), v.description(line));
}

/** True or false. `line` is its line in the manual. */
export function flag(line: string) {
  return v.pipe(v.boolean(), v.description(line));
}

/** A whole number from the smallest one. `line` is its line in the manual. */
export function count(line: string, smallest: number) {
  return v.pipe(
    v.number(),
    v.integer('must be a whole number'),
    v.minValue(smallest, `must be ${smallest} or more`),
    v.description(line),
  );
}

/** A number of US dollars. `line` is its line in the manual. */
export function dollars(line: string) {
  return v.pipe(v.number(), v.minValue(0, 'must be 0 or more'), v.description(line));
}

/** One of several words. `line` is its line in the manual. */
export function choice<const T extends readonly [string, ...string[]]>(line: string, choices: T) {
  return v.pipe(v.picklist(choices), v.description(line));
}

/** An http or https address. `line` is its line in the manual. */
export function webAddress(line: string) {
  return v.pipe(
    v.string(),
    v.regex(/^https?:\/\/[^\s/]+/, 'must be an http:// or https:// address'),
    v.description(line),
  );
}

/** Texts by name. `line` is its line in the manual. */
export function strings(line: string) {
  return v.pipe(v.record(v.string(), v.string()), v.description(line));
}
