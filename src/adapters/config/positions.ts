import type { AST } from 'toml-eslint-parser';
import { formatKey, type KeyPath } from './key-path.ts';

/** A place in a file, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds where keys and values stand. */
export interface Positions {
  /** The place of a key, or of the nearest table around it that is written out. */
  key(path: KeyPath): Position;
  /** The place of its value. */
  value(path: KeyPath): Position;
}

/** What a file that is no TOML is told. */
export interface SyntaxProblem extends Position {
  readonly why: string;
}

interface Place {
  readonly key: Position;
  readonly value: Position;
}

const START: Position = { line: 1, column: 1 };

/** Reads the places of all keys; used only when something is wrong, because its parser takes long to load. */
export async function readPositions(text: string): Promise<Positions | SyntaxProblem> {
  const { parseTOML, ParseError } = await import('toml-eslint-parser');
  try {
    const places = new Map<string, Place>();
    collect(parseTOML(text).body[0].body, [], places);
    return {
      key: (path) => find(places, path)?.key ?? START,
      value: (path) => find(places, path)?.value ?? START,
    };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { line: error.lineNumber, column: error.column + 1, why: error.message };
  }
}

function find(places: ReadonlyMap<string, Place>, path: KeyPath): Place | undefined {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(formatKey(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return undefined;
}

function collect(
  nodes: readonly (AST.TOMLKeyValue | AST.TOMLTable)[],
  prefix: KeyPath,
  places: Map<string, Place>,
): void {
  for (const node of nodes) {
    const last = notePath(node, prefix, places);
    if (node.type === 'TOMLTable') collect(node.body, last, places);
    else if (node.value.type === 'TOMLInlineTable') collect(node.value.body, last, places);
    else if (node.value.type === 'TOMLArray') noteElements(node.value, last, places);
  }
}

/** Notes every step of a dotted key, the first mention of each, and gives the whole path. */
function notePath(node: AST.TOMLKeyValue | AST.TOMLTable, prefix: KeyPath, places: Map<string, Place>): KeyPath {
  let path = prefix;
  for (const part of node.key.keys) {
    path = [...path, part.type === 'TOMLBare' ? part.name : part.value];
    const key = toPosition(part.loc.start);
    const value = node.type === 'TOMLTable' ? key : toPosition(node.value.loc.start);
    const name = formatKey(path);
    if (!places.has(name)) places.set(name, { key, value });
  }
  return path;
}

function noteElements(list: AST.TOMLArray, path: KeyPath, places: Map<string, Place>): void {
  for (const [index, element] of list.elements.entries()) {
    const start = toPosition(element.loc.start);
    places.set(formatKey([...path, String(index)]), { key: start, value: start });
  }
}

function toPosition(start: { readonly line: number; readonly column: number }): Position {
  return { line: start.line, column: start.column + 1 };
}
