import type { ParsedScript, SyntaxNode } from 'unbash';
import { forEachChild, parse } from 'unbash';

export type {
  ArithmeticExpression,
  Assignment,
  Command,
  CommandNode,
  CompoundList,
  DoubleQuotedChild,
  HereDoc,
  ParameterExpansionPart,
  ParsedScript,
  Pipeline,
  Redirection,
  Statement,
  SyntaxNode,
  TestExpression,
  Word,
  WordPart,
} from 'unbash';

/** Parses text as bash does. Never throws: `errors` lists what bash would reject, in this script and in scripts within its words. */
export function parseShell(text: string): ParsedScript {
  return parse(text);
}

/** Visits the direct children of a node. Word parts and substituted scripts are parsed when visited. */
export function eachChild(node: SyntaxNode, visit: (child: SyntaxNode) => void): void {
  forEachChild(node, visit);
}
