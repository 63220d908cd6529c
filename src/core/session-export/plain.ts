import type { CommandRecord } from '../../protocol/command.ts';
import { sanitizeText } from '../sanitize.ts';
import { formatExit } from '../session/lost-command.ts';
import type { Block } from './blocks.ts';

/** A session as plain text: what was said, run, asked and answered. */
export function formatPlain(blocks: readonly Block[]): string {
  return sanitizeText(blocks.flatMap(formatBlock).join('\n')).trim();
}

function formatBlock(block: Block): readonly string[] {
  switch (block.type) {
    case 'session':
      return [];
    case 'message':
      return [`\n> ${block.text}`, ...block.attached.map((file) => `  attached ${file}`)];
    case 'answer':
      return [block.text];
    case 'call':
      return [`  ${block.name} ${JSON.stringify(block.arguments)}`];
    case 'result':
      return [block.text.replace(/\n$/, '').replaceAll(/^/gm, '  | ')];
    case 'command':
      return formatCommand(block.record);
    case 'note':
      return block.lines.map((line) => `  ${line}`);
  }
}

function formatCommand(record: CommandRecord): readonly string[] {
  if (record.private === true) return ['\n$ (a private command)'];
  const output = record.output.trimEnd();
  return [`\n$ ${record.line}`, ...(output === '' ? [] : [output]), `  ${formatExit(record)}`];
}
