import type { SourceFile } from './source.ts';
import { PAGE_WORDS, PRIVATE_WORDS, toPattern } from './words.ts';

/** The most words of one sentence. */
const MOST_WORDS = 30;
/** So many of a thousand words may be what, who or where. */
const MOST_QUESTION_WORDS = 5;

/** Pages that are held to less, and why. */
export const EXCEPTED_PAGES: Readonly<Record<string, string>> = {
  'docs/protocol.md': 'a reference of the wire, whose tables hold a definition in each cell',

  'docs/benchmarks.md': 'made by the benchmarks from their names and figures',
  'docs/files.md': 'made from the first sentence of each file',
};

/** The most lines of a page. */
const MOST_LINES: Readonly<Record<string, number>> = { 'README.md': 200, 'CONTRIBUTING.md': 150 };
const MOST_TERMS = 40;

const PASSIVE =
  /\b(?:is|are|was|were|be|been|being)(?: (?:not|never|only|also|then))? (?:asked|told|said)\b(?! by\b)/gi;

/** A relative clause in the place of a subject; a question may begin so. */
const NO_SUBJECT = /^(?:Wh(?:at|o|om|ose)(?:ever)?|Of|Where)\b(?!.*\?$)/;

/** A comment; line comments in a row are one. */
const COMMENT = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*)|(?<=\S )\/\/ .*$/gm;

/** One place of a page that a reader would stumble over. */
function report({ path, line }: Place, fault: string, text: string): string {
  return `${path}:${line} ${fault}: ${text}`;
}

interface Place {
  readonly path: string;
  readonly line: number;
}

/** A paragraph, a list item or a cell, with its code spans as one word each. */
interface Block extends Place {
  readonly text: string;
}

/** Places of the texts in code that break the rules for sentences; each literal of three words or more is a text. */
export function messageFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => toTexts(file).flatMap(faultsOfBlock));
}

/** The literals of a file. Each insert of a template is one word. */
export function toTexts({ path, text }: SourceFile): Block[] {
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|\/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\\\n[])+\/[a-z]*(?=[.,)\s;])|'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}|[^`\\])*)`/g;
  return [...text.matchAll(token)].flatMap((found) => {
    const literal = found[1] ?? found[2] ?? found[3];
    if (literal === undefined) return [];
    const line = text.slice(0, found.index).split('\n').length;
    const plain = literal
      .replace(/\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/g, '…')
      .replace(/\\n/g, ' ')
      .replace(/\\(.)/g, '$1');
    return countWords(plain) < 3 ? [] : [{ path, line, text: toPlain(plain) }];
  });
}

/** Places of the comments with a sentence that has no subject. */
export function commentFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(COMMENT)].flatMap(({ 0: found, index }) => {
      const comment = found.replace(/^[ \t]*(?:\/\*+|\*+\/|\*|\/\/) ?|\*+\/$/gm, '').replace(/\s+/g, ' ');
      return toSentences(comment)
        .filter((sentence) => NO_SUBJECT.test(sentence))
        .map((sentence) => report({ path, line: text.slice(0, index).split('\n').length }, 'no subject', sentence));
    }),
  );
}

/** Places of the pages that break the rules for sentences. */
export function proseFaults(pages: readonly SourceFile[]): string[] {
  return pages.flatMap((page) => [...lengthFaults(page), ...sentenceFaults(page)]);
}

function lengthFaults({ path, text }: SourceFile): string[] {
  const most = MOST_LINES[path] ?? Number.POSITIVE_INFINITY;
  const lines = text.trimEnd().split('\n').length;
  const terms = path.endsWith('glossary.md') ? text.split('\n').filter((line) => line.startsWith('| **')).length : 0;
  return [
    ...(lines > most ? [`${path} has ${lines} lines, more than ${most}`] : []),
    ...(terms > MOST_TERMS ? [`${path} has ${terms} terms, more than ${MOST_TERMS}`] : []),
  ];
}

function sentenceFaults(page: SourceFile): string[] {
  if (EXCEPTED_PAGES[page.path] !== undefined) return [];
  const blocks = toBlocks(page);
  return [...blocks.flatMap(faultsOfBlock), ...questionWords(page.path, blocks)];
}

function faultsOfBlock(block: Block): string[] {
  return [
    ...toSentences(block.text).flatMap((sentence) => {
      const count = countWords(sentence);
      return [
        ...(count > MOST_WORDS ? [report(block, `a sentence of ${count} words`, sentence)] : []),
        ...(NO_SUBJECT.test(sentence) ? [report(block, 'no subject', sentence)] : []),
      ];
    }),
    ...[...block.text.matchAll(PASSIVE)].map(([found]) => report(block, 'nobody who acts', found)),
    ...[...block.text.matchAll(toPattern([...PRIVATE_WORDS, ...PAGE_WORDS]))].map(([found]) =>
      report(block, 'a word of our own', found),
    ),
  ];
}

function questionWords(path: string, blocks: readonly Block[]): string[] {
  const prose = blocks.map(({ text }) => text).join('\n');
  const count = [...prose.matchAll(/\b(?:what|who|where)\b/gi)].length;
  const share = (count * 1000) / Math.max(1, countWords(prose));
  return share < MOST_QUESTION_WORDS || count < 2
    ? []
    : [`${path} has ${share.toFixed(1)} of what, who and where in 1,000 words (${count})`];
}

/** The sentences of a block. A full stop within a word, such as in `a.ts`, ends none. */
export function toSentences(text: string): string[] {
  return text
    .split(/(?<=[.?!][)"”]?)\s+(?=[A-Z0-9"“(…⟨]|aish\b)/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}…]/u.test(word)).length;
}

/** The prose of a page: no code blocks, no comments, no headings; a link is its text, a code span one word. */
export function toBlocks({ path, text }: SourceFile): Block[] {
  const blocks: Block[] = [];
  let fence: string | null = null;
  let open: { line: number; parts: string[] } | null = null;
  const close = (): void => {
    if (open !== null) blocks.push({ path, line: open.line, text: toPlain(open.parts.join(' ')) });
    open = null;
  };
  for (const [at, row] of text
    .replace(/<!--[\s\S]*?-->/g, '')
    .split('\n')
    .entries()) {
    const mark: string | undefined = /^\s*(`{3,})/.exec(row)?.[1];
    if (fence !== null ? mark === fence : mark !== undefined) {
      close();
      fence = fence === null ? (mark ?? null) : null;
    } else if (fence !== null) {
      // A screen or an example.
    } else if (row.trim() === '' || /^#/.test(row)) {
      close();
    } else if (row.startsWith('|')) {
      close();
      if (!/^\|[\s|:-]*$/.test(row))
        for (const cell of row.split(/(?<!\\)\|/)) blocks.push({ path, line: at + 1, text: toPlain(cell) });
    } else if (/^\s*(?:[-*]|\d+\.) /.test(row)) {
      close();
      open = { line: at + 1, parts: [row.replace(/^\s*(?:[-*]|\d+\.) /, '')] };
    } else {
      open ??= { line: at + 1, parts: [] };
      open.parts.push(row.trim());
    }
  }
  close();
  return blocks.filter((block) => block.text !== '');
}

function toPlain(text: string): string {
  return text
    .replace(/`[^`]+`/g, '…')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
    .trim();
}
