import { join } from 'node:path';
import { formatKey } from '../../../adapters/config/config-file.ts';
import { formatToml } from '../../../adapters/config/format-config.ts';
import type { AbbrRequest } from '../../../core/meta/meta-arguments.ts';
import { formatTable } from '../../../core/terminal/table.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import { AishError } from '../../../protocol/error.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';

interface AbbrContext {
  readonly setup: Setup;
  /** The abbreviations of this prompt. */
  readonly abbreviations: Map<string, string>;
  /** Those of the shell itself. */
  readonly shellAbbreviations: ReadonlyMap<string, string>;
}

/** Carries out `:abbr`; returns the text to print. */
export function runAbbr(request: AbbrRequest, context: AbbrContext): string {
  const { abbreviations } = context;
  if (request.action === 'list') return formatAll(context);
  const { name } = request;
  if (request.action === 'add') {
    abbreviations.set(name, request.text);
    return formatKeeping(name, request.text, context);
  }
  const own = abbreviations.get(name);
  const text = own ?? (request.action === 'show' ? context.shellAbbreviations.get(name) : undefined);
  if (text === undefined)
    throw new AishError('abbr.unknown', messages.formatNoAbbr(name), { hint: messages.LISTS_ABBRS });
  if (request.action === 'show') return sanitizeLine(`${name}  ${text}`);
  abbreviations.delete(name);
  return sanitizeLine(messages.formatAbbrRemoved(name, originOf(name, context) ?? null));
}

function formatAll(context: AbbrContext): string {
  const all = [...new Map([...context.shellAbbreviations, ...context.abbreviations])].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  if (all.length === 0) return `${messages.NO_ABBRS}\n${messages.ABBR_USE}`;
  return formatTable(
    all.map(([name, text]) => {
      const isConfigured = context.setup.loaded.config.abbreviations[name] === text;
      const origin = isConfigured ? originOf(name, context) : undefined;
      const source = context.abbreviations.has(name) ? messages.THIS_SESSION : messages.OF_SHELL;
      return [name, text, origin ?? source].map((cell) => sanitizeLine(cell));
    }),
  );
}

/** Only the user edits the file, so this prints the lines to add. */
function formatKeeping(name: string, text: string, { setup }: AbbrContext): string {
  const file = setup.loaded.file ?? join(setup.paths.config, 'config.toml');
  return `${sanitizeLine(messages.formatKeepAbbr(name, file))}\n[abbreviations]\n${formatKey([name])} = ${formatToml(text)}`;
}

function originOf(name: string, { setup }: AbbrContext): string | undefined {
  return setup.loaded.origins.get(formatKey(['abbreviations', name]));
}
