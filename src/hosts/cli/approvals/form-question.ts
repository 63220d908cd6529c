import { formatPreset, readValue } from '../../../core/form/check-form.ts';
import * as messages from '../../../core/form/messages.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { Form, FormAnswer, FormField, FormValue } from '../../../protocol/form.ts';
import { styledProse, wrapProse } from '../screen/wrap.ts';
import { AnswerKeys } from './answer-keys.ts';
import { CANCELLED } from './messages.ts';
import type { QuestionOptions } from './question.ts';

interface FormQuestionOptions extends Omit<QuestionOptions, 'decide' | 'dryRun' | 'interrupt'> {
  /** The user begins to fill in the form, by one key. */
  begun(): void;
  answer(answer: FormAnswer): void;
}

/** Longer words of a server are cut. */
const MOST_CHARACTERS = 2000;

/**
 * Asks what a server wants to know. One key, which counts only when the form has been on the screen, begins or declines; then each field
 * is a line of its own, which only Enter ends. Ctrl-C cancels everywhere.
 */
export class FormQuestion {
  readonly #form: Form;
  readonly #options: FormQuestionOptions;
  readonly #keys: AnswerKeys;
  #hasBegun = false;

  constructor(form: Form, options: FormQuestionOptions) {
    this.#form = form;
    this.#options = options;
    this.#keys = new AnswerKeys(options, {
      interrupt: () => this.#end({ action: 'cancel' }, CANCELLED),
      press: (text) => this.#press(text.toLowerCase()),
    });
    this.#keys.markPastes();
    this.#show();
  }

  get wantsText(): boolean {
    return this.#keys.wantsText;
  }

  feed(bytes: Uint8Array): void {
    this.#keys.feed(bytes);
  }

  close(): void {
    this.#keys.close();
  }

  #press(key: string): void {
    if (this.#hasBegun) return;
    if (key === 'n') this.#end({ action: 'decline' }, messages.DECLINED);
    if (key !== 'y') return;
    this.#hasBegun = true;
    this.#options.begun();
    void this.#fill();
  }

  async #fill(): Promise<void> {
    const values: [string, FormValue][] = [];
    const { fields } = this.#form;
    for (const [at, field] of fields.entries()) {
      this.#print([messages.formatFieldHead(at + 1, fields.length, field.isRequired)], 'bold');
      this.#quote(field.title);
      if (field.about !== undefined) this.#quote(field.about);
      this.#print(describeValues(field));
      const value = await this.#read(field);
      if (this.#keys.isOver) return;
      if (value !== undefined) values.push([field.name, value]);
    }
    this.#end(
      { action: 'accept', values: Object.fromEntries(values) },
      this.#form.url === undefined ? messages.SENT : messages.AGREED,
    );
  }

  /** The value of a field; undefined if it is left out, or the form is over. */
  async #read(field: FormField): Promise<FormValue | undefined> {
    for (let typed = formatPreset(field); ; ) {
      const line = await this.#keys.readLine(messages.VALUE_PROMPT, typed);
      if (this.#keys.isOver) return undefined;
      if (line === null) {
        this.#end({ action: 'cancel' }, CANCELLED);
        return undefined;
      }
      const read = readValue(field, line);
      if (read.ok) return read.value;
      this.#print([messages.formatBadValue(read.problem)]);
      typed = line.trim();
    }
  }

  #end(answer: FormAnswer, shown: string): void {
    if (this.#keys.isOver) return;
    this.#keys.end();
    this.#options.print(`  ${shown}\n`);
    this.#options.answer(answer);
  }

  #show(): void {
    const { server, message, url } = this.#form;
    this.#print([messages.formatFormHead(escapeForDisplay(server))], 'bold');
    this.#quote(message);
    if (url === undefined) this.#print([messages.FORM_NOTE, messages.FORM_KEYS]);
    else this.#print([messages.formatAddress(escapeForDisplay(url)), messages.ADDRESS_NOTE, messages.ADDRESS_KEYS]);
  }

  /** The words of a server, each row with the mark of it. */
  #quote(text: string): void {
    const { size, print } = this.#options;
    const width = Math.max(20, size().columns - messages.formatServerText('').length);
    const rows = cut(text, { multiline: true })
      .split('\n')
      .flatMap((line) => wrapProse(line, width));
    print(`${rows.map((row) => messages.formatServerText(row.trim())).join('\n')}\n`);
  }

  #print(lines: readonly string[], style?: 'bold'): void {
    const { size, theme, print } = this.#options;
    const { columns } = size();
    const rows = lines.flatMap((line) =>
      style === undefined ? wrapProse(line, columns) : styledProse(theme, style, line, columns, ''),
    );
    if (rows.length > 0) print(`${rows.join('\n')}\n`);
  }
}

/** Words of a server as nothing but text, and not too many. */
function cut(text: string, options: { readonly multiline?: boolean } = {}): string {
  return escapeForDisplay(text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text, options);
}

function describeValues(field: FormField): readonly string[] {
  const options = 'options' in field ? field.options : [];
  return [
    ...options.map(({ title }, at) => messages.formatOption(at + 1, cut(title))),
    messages.formatHint(messages.formatExpected(field)),
  ];
}
