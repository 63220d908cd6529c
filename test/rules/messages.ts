import type { SourceFile } from './source.ts';

/** Names that the text of a message has. */
const TEXTS = '(?:reasons?|because|messages?|labels?|details?|hints?|why)';
const READS = 'startsWith|endsWith|includes|match|matchAll|search';

/**
 * `reason.startsWith('…')`, `rule.startsWith('floor ')`, `/…/.test(one.reason)`, `reasons.some((one) => one.startsWith('…'))`, and a
 * message beside a literal one.
 */
const DECISIONS = [
  new RegExp(`\\b${TEXTS}\\??\\.(?:${READS})\\(`),
  new RegExp(`\\.(?:test|exec)\\(\\s*[\\w.?]*\\b${TEXTS}\\b(?!\\()`),
  new RegExp(
    `\\b(?:reasons|messages|labels)\\??\\.\\w+\\(\\(?(\\w+)\\)? =>[^;]*(?:\\b\\1\\.(?:${READS})\\(|\\.test\\(\\1\\))`,
  ),
  // The name of a rule is only for display; code may read a pattern that a user wrote.
  /\brule\??\.(?:startsWith|endsWith|includes)\('[\w ]+'\)|\brule\??\.match\(/,
  /\b(?:formatReason|listReasons|listEffects|formatUnexplained)\([^()]*\)\s*(?:===|!==|\.(?:startsWith|endsWith|includes|match|search)\()/,
];

/** Files that read what another program says, as there is nothing else of it to read. */
export const FOREIGN_MESSAGES: Readonly<Record<string, string>> = {
  'src/core/model/server-fault.ts': 'model servers say in words alone how long to wait',
  'src/core/model/fault-kind.ts': 'model servers say in words alone what is wrong with a request',
  'src/adapters/mcp/failure.ts': 'servers say in words alone that a session is lost',
  'src/core/markdown/markdown-line.ts': 'a label there is the text of a link that the model has written',
};

/** Lines of the source that decide something by the text of a message: a code or a typed value must. */
export function textDecisions(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    if (FOREIGN_MESSAGES[path] !== undefined) return [];
    return text.split('\n').flatMap((line, at) => {
      const code = line.replace(/^\s*(?:\*|\/\*|\/\/).*/, '');
      return DECISIONS.some((pattern) => pattern.test(code)) ? [`${path}:${at + 1} ${line.trim()}`] : [];
    });
  });
}
