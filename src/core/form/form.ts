import { type Form, type FormField, type FormOption, type FormValue, type FormValues, TEXT_FORMATS } from '../../protocol/form.ts';
import { isJsonObject, type Json, type JsonObject, omitUndefined } from '../../protocol/json.ts';
import * as messages from './messages.ts';

/** A typed value; undefined for a field left out. */
type ReadValue = { readonly ok: true; readonly value: FormValue | undefined } | { readonly ok: false; readonly problem: string };

type FieldOf<T extends FormField['type']> = Extract<FormField, { type: T }>;

/** Reads what a user typed for a field, and checks it. */
export function readValue(field: FormField, typed: string): ReadValue {
  const text = typed.trim();
  if (text === '') return field.isRequired ? { ok: false, problem: messages.REQUIRED } : { ok: true, value: undefined };
  const value = parse(field, text);
  const isFitting = value !== undefined && fits(field, value);
  return isFitting ? { ok: true, value } : { ok: false, problem: messages.formatExpected(field) };
}

/** The text that stands for the preset of a field; empty without one. */
export function formatPreset(field: FormField): string {
  switch (field.type) {
    case 'text':
      return field.preset ?? '';
    case 'number':
      return field.preset === undefined ? '' : String(field.preset);
    case 'boolean':
      return field.preset === undefined ? '' : field.preset ? messages.YES : messages.NO;
    case 'choice':
      return field.preset === undefined ? '' : optionNumber(field.options, field.preset);
    case 'choices':
      return (field.preset ?? []).map((value) => optionNumber(field.options, value)).join(' ');
  }
}

/** The problem of the values of a form: the first field that does not fit, or one that the form does not have. */
export function findFormProblem(form: Form, values: FormValues): string | null {
  const unknown = Object.keys(values).find((name) => form.fields.every((field) => field.name !== name));
  if (unknown !== undefined) return messages.formatUnknownField(unknown);
  for (const field of form.fields) {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    if (value === undefined && field.isRequired) return messages.formatOfField(field.name, messages.REQUIRED);
    if (value !== undefined && !fits(field, value)) return messages.formatOfField(field.name, messages.formatExpected(field));
  }
  return null;
}

function optionNumber(options: readonly FormOption[], value: string): string {
  const at = options.findIndex((option) => option.value === value);
  return at === -1 ? '' : String(at + 1);
}

function parse(field: FormField, text: string): FormValue | undefined {
  switch (field.type) {
    case 'text':
      return text;
    case 'number':
      return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined;
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : undefined;
    case 'choice':
      return choose(field.options, text);
    case 'choices': {
      const chosen = text.split(/[\s,]+/).map((word) => choose(field.options, word));
      return chosen.every((value) => value !== undefined) ? [...new Set(chosen)] : undefined;
    }
  }
}

/** The option with this number, value or title. A number is always that of an option, as the screen has it. */
function choose(options: readonly FormOption[], text: string): string | undefined {
  if (/^\d+$/.test(text)) return options[Number(text) - 1]?.value;
  return options.find(({ value, title }) => value === text || title.toLowerCase() === text.toLowerCase())?.value;
}

function fits(field: FormField, value: FormValue): boolean {
  switch (field.type) {
    case 'text':
      return typeof value === 'string' && fitsText(field, value);
    case 'number':
      return typeof value === 'number' && fitsNumber(field, value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return field.options.some((option) => option.value === value);
    case 'choices':
      return Array.isArray(value) && fitsChoices(field, value);
  }
}

function fitsNumber({ isInteger, minimum, maximum }: FieldOf<'number'>, value: number): boolean {
  if (!Number.isFinite(value) || (isInteger && !Number.isInteger(value))) return false;
  return value >= (minimum ?? Number.NEGATIVE_INFINITY) && value <= (maximum ?? Number.POSITIVE_INFINITY);
}

function fitsText({ format, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: FieldOf<'text'>, value: string): boolean {
  const { length } = [...value];
  return (format === undefined || FORMATS[format](value)) && length >= minLength && length <= maxLength;
}

function fitsChoices(field: FieldOf<'choices'>, value: readonly string[]): boolean {
  const { options, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = field;
  const isKnown = value.every((one) => options.some((option) => option.value === one));
  return isKnown && value.length >= minItems && value.length <= maxItems;
}

const FORMATS: Readonly<Record<NonNullable<FieldOf<'text'>['format']>, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text),
  date: isDate,
  'date-time': (text) => {
    const [date = '', time = ''] = text.split(/t/i);
    const hours = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`;
    return isDate(date) && new RegExp(`^${hours}:(?:[0-5]\\d|60)(?:\\.\\d+)?(?:z|[-+]${hours})$`, 'i').test(time);
  },
};

/** A day of the calendar: the 30th of February is none. */
function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return month >= 1 && month <= 12 && day >= 1 && day <= days;
}

/** A form with more fields than this is refused: nobody would read them. */
const MOST_FIELDS = 50;
const MOST_OPTIONS = 200;

/** A request of a server as the protocol has it. */
export type ServerRequest =
  | { readonly mode: 'form'; readonly alias: string; readonly message: string; readonly schema: JsonObject }
  | { readonly mode: 'url'; readonly alias: string; readonly message: string; readonly url: string };

/** The form of a request; null if it asks for what no form of MCP has. */
export function readForm(request: ServerRequest): Form | null {
  const { alias: server, message } = request;
  if (request.mode === 'url') return isWebAddress(request.url) ? { server, message, fields: [], url: request.url } : null;
  const { properties, required } = request.schema;
  if (!isJsonObject(properties)) return null;
  const names = Object.entries(properties);
  if (names.length > MOST_FIELDS) return null;
  const needed = textsOf(required) ?? [];
  const fields = names.map(([name, schema]) => readField(name, schema, needed.includes(name)));
  return fields.every((field) => field !== null) ? { server, message, fields } : null;
}

function isWebAddress(url: string): boolean {
  return /^https?:\/\/[^\s/?#@\\]+(?:[/?#]\S*)?$/i.test(url);
}

function readField(name: string, schema: Json | undefined, isRequired: boolean): FormField | null {
  if (!isJsonObject(schema)) return null;
  const title = textOf(schema.title) ?? name;
  const any = { name, title, isRequired, ...omitUndefined({ about: textOf(schema.description) }) };
  switch (schema.type) {
    case 'string':
      return readText(any, schema);
    case 'number':
    case 'integer':
      return {
        ...any,
        type: 'number',
        isInteger: schema.type === 'integer',
        ...omitUndefined({
          minimum: numberOf(schema.minimum),
          maximum: numberOf(schema.maximum),
          preset: numberOf(schema.default),
        }),
      };
    case 'boolean':
      return { ...any, type: 'boolean', ...(typeof schema.default === 'boolean' ? { preset: schema.default } : {}) };
    case 'array':
      return readChoices(any, schema);
    default:
      return null;
  }
}

type Any = Pick<FormField, 'name' | 'title' | 'about' | 'isRequired'>;

function readText(any: Any, schema: JsonObject): FormField | null {
  const preset = omitUndefined({ preset: textOf(schema.default) });
  if (schema.enum !== undefined || schema.oneOf !== undefined) {
    const options = readOptions(schema, schema.oneOf);
    return options === null ? null : { ...any, type: 'choice', options, ...preset };
  }
  const format = TEXT_FORMATS.find((known) => known === schema.format);
  const lengths = { minLength: numberOf(schema.minLength), maxLength: numberOf(schema.maxLength) };
  return { ...any, type: 'text', ...omitUndefined({ format, ...lengths }), ...preset };
}

function readChoices(any: Any, schema: JsonObject): FormField | null {
  const { items } = schema;
  const options = isJsonObject(items) ? readOptions(items, items.anyOf ?? items.oneOf) : null;
  if (options === null) return null;
  const limits = { minItems: numberOf(schema.minItems), maxItems: numberOf(schema.maxItems) };
  return { ...any, type: 'choices', options, ...omitUndefined({ ...limits, preset: textsOf(schema.default) }) };
}

/** The values of an `enum`, with the titles of the older form `enumNames`, or those of `titled`. */
function readOptions(schema: JsonObject, titled: Json | undefined): readonly FormOption[] | null {
  if (Array.isArray(titled)) {
    const options = titled.flatMap((one: Json) => {
      const value = isJsonObject(one) ? textOf(one.const) : undefined;
      return value === undefined || !isJsonObject(one) ? [] : [{ value, title: textOf(one.title) ?? value }];
    });
    return fit(options, titled.length);
  }
  const values = textsOf(schema.enum);
  const names = textsOf(schema.enumNames) ?? [];
  const options = values?.map((value, at) => ({ value, title: names[at] ?? value }));
  return options === undefined ? null : fit(options, options.length);
}

function fit(options: readonly FormOption[], wanted: number): readonly FormOption[] | null {
  return options.length === wanted && wanted > 0 && wanted <= MOST_OPTIONS ? options : null;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textsOf(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item: Json) => typeof item === 'string');
  return texts.length === value.length ? texts : undefined;
}
