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

/** Parses text as bash reads it. Never throws: what bash would reject is in `errors`, of this script and of those within its words. */
export function parseShell(text: string): ParsedScript {
  return parse(text);
}

/** Visits the direct children of a node. Parts of words and scripts of substitutions are read when they are visited. */
export function eachChild(node: SyntaxNode, visit: (child: SyntaxNode) => void): void {
  forEachChild(node, visit);
}
