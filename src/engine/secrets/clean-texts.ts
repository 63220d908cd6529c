/** Which texts are kept: how long they are, and the most of them. */
interface CleanTextsOptions {
  readonly shortest: number;
  readonly longest: number;
  readonly most: number;
}

/**
 * Texts in which no secret was found: what is said again and again, such as the words of tools and a line on its way from the prompt into
 * log and history, is looked through once. They hold for what was known then.
 */
export class CleanTexts {
  readonly #options: CleanTextsOptions;
  readonly #texts = new Set<string>();
  #known: object | null = null;

  constructor(options: CleanTextsOptions) {
    this.#options = options;
  }

  has(text: string, known: object): boolean {
    return this.#fits(text) && this.#known === known && this.#texts.has(text);
  }

  add(text: string, known: object): void {
    if (!this.#fits(text)) return;
    if (this.#known !== known) this.#texts.clear();
    this.#known = known;
    this.#texts.add(text);
    if (this.#texts.size <= this.#options.most) return;
    for (const oldest of this.#texts) {
      this.#texts.delete(oldest);
      return;
    }
  }

  #fits({ length }: string): boolean {
    return length >= this.#options.shortest && length <= this.#options.longest;
  }
}
