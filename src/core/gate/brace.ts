const MOST_WORDS = 200;

/** The words that a brace expansion's text, braces included, stands for; null for one too large or not understood. */
export function expandBraces(text: string): readonly string[] | null {
  const inner = text.slice(1, -1);
  const range = /^(-?\w+)\.\.(-?\w+)(?:\.\.(-?\d+))?$/.exec(inner);
  if (range !== null) return expandRange(range[1] ?? '', range[2] ?? '', Number(range[3] ?? 1));
  const words = splitAtCommas(inner);
  return words === null || words.length < 2 || words.length > MOST_WORDS ? null : words;
}

function expandRange(from: string, to: string, step: number): readonly string[] | null {
  if (/^-?\d+$/.test(from) && /^-?\d+$/.test(to)) {
    const width = /^-?0\d/.test(from) || /^-?0\d/.test(to) ? Math.max(from.length, to.length) : 0;
    return count(Number(from), Number(to), step, (at) => String(at).padStart(width, '0'));
  }
  if (!/^[a-zA-Z]$/.test(from) || !/^[a-zA-Z]$/.test(to)) return null;
  return count(from.charCodeAt(0), to.charCodeAt(0), step, (at) => String.fromCharCode(at));
}

function count(from: number, to: number, step: number, name: (at: number) => string): readonly string[] | null {
  const stride = Math.max(1, Math.abs(step));
  const size = Math.floor(Math.abs(to - from) / stride) + 1;
  if (size > MOST_WORDS) return null;
  return Array.from({ length: size }, (_, at) => name(from <= to ? from + at * stride : from - at * stride));
}

/** Splits at the commas that stand in no quotes, braces or substitutions; null where quotes do not end. */
function splitAtCommas(text: string): readonly string[] | null {
  const words: string[] = [];
  let word = '';
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '\\' && quote !== "'") {
      word += character + (text[at + 1] ?? '');
      at += 1;
      continue;
    }
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"' || character === '`') quote = character;
    else if (character === '{' || character === '(') depth += 1;
    else if (character === '}' || character === ')') depth -= 1;
    else if (character === ',' && depth === 0) {
      words.push(word);
      word = '';
      continue;
    }
    word += character;
  }
  return quote === '' && depth === 0 ? [...words, word] : null;
}
