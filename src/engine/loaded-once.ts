/** A module that is loaded when it is first wanted. To import it again at each call takes longer than much of what is done with it. */
export class LoadedOnce<Module> {
  readonly #load: () => Promise<Module>;
  #loaded: Promise<Module> | null = null;

  constructor(load: () => Promise<Module>) {
    this.#load = load;
  }

  get(): Promise<Module> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }
}
