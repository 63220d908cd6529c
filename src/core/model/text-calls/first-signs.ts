/** Signs that are part of every form of printed calls. Plain prose has none of them, and nothing more is loaded for it. */
export const SIGNS = /[<[{`_✿]/;

/** Words that begin a line in a form whose signs come later. */
export const FIRST_WORDS: readonly string[] = ['Action:', 'function call{', 'functools[', '>>>', ']<]minimax'];
