/** So many are kept, none longer than this. */
const MOST = 32;
const LONGEST = 4096;

/**
 * Texts in which no secret was found: what is said again and again, such as the words of our own tools and a line on its way from the prompt
 * into log and history, is looked through once. They hold for what was known then.
 */
export class CleanTexts {
  readonly #texts = new Set<string>();
  #known: object | null = null;

  has(text: string, known: object): boolean {
    return this.#known === known && this.#texts.has(text);
  }

  add(text: string, known: object): void {
    if (text.length > LONGEST) return;
    if (this.#known !== known) this.#texts.clear();
    this.#known = known;
    this.#texts.add(text);
    if (this.#texts.size <= MOST) return;
    for (const oldest of this.#texts) {
      this.#texts.delete(oldest);
      return;
    }
  }
}
