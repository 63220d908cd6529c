import { readUrlPasswords } from './assignments.ts';
import { isSecretName } from './names.ts';
import { isOrdinary } from './ordinary.ts';
import { isTooShort, type Secret } from './secret.ts';
import { findShapes } from './shapes.ts';

/** What the person said about variables. */
export interface VariableRules {
  /** These hold a secret, whatever they are called. */
  readonly names: ReadonlySet<string>;
  /** Values that any text may hold, such as the name of the user. */
  readonly ordinary: ReadonlySet<string>;
}

/** A token as it stands in a header. */
const AFTER_SCHEME = /^(?:Bearer|Basic|Token) (\S+)$/i;

/** The secrets in a variable: the whole value when its name says so, the password in an address, and what has the shape of a token. */
export function secretsOfVariable(name: string, written: string, { names, ordinary }: VariableRules): Secret[] {
  const value = written.trim();
  const from = 'environment';
  if (isTooShort(value)) return [];
  const token = value.includes(' ') ? AFTER_SCHEME.exec(value)?.[1] : undefined;
  const inside = [
    ...readUrlPasswords(value).map((one) => ({ name: `${name}.password`, value: one.value, from })),
    ...findShapes(value).map((one) => ({
      name: one.value === value ? name : `${name}.${one.name}`,
      value: one.value,
      from,
    })),
    ...(token === undefined ? [] : [{ name: `${name}.token`, value: token, from }]),
  ].filter((one) => !isOrdinary(one.value, ordinary));
  const isWhole = names.has(name) || inside.length > 0 || (isSecretName(name) && !isOrdinary(value, ordinary));
  return isWhole ? [{ name, value, from }, ...inside] : inside;
}
