import { scanLine } from '../../core/completion/scan-line.ts';
import { quote } from '../shell/integration/integration.ts';
import { type HelperMatch, MOST_MATCHES, type PipeDialect } from './helper-protocol.ts';

/** A fish that completes as the user's does, by `complete -C`. */
export const FISH: PipeDialect = {
  file: 'complete.fish',
  script: () => fishScript,
  words: (script, { withStartupFiles }) => [
    ...(withStartupFiles ? [] : ['--no-config']),
    '-c',
    `source ${quote(script)}`,
  ],
  toQuestion: ({ cwd, exportsFile, line }) => {
    const start = scanLine(line, line.length)?.word.start ?? line.length;
    return {
      fields: [cwd, exportsFile ?? '', line],
      read: ({ matches }) => matches.slice(0, MOST_MATCHES).map((row) => toMatch(row, start)),
    };
  },
};

/** A row is what takes the place of the word, and what it is behind a tab. */
function toMatch(row: string, start: number): HelperMatch {
  const [text = '', description = ''] = row.split('\t');
  const match = { text, start, isPath: text.includes('/'), isQuoted: false };
  return description === '' ? match : { ...match, description };
}

const fishScript = String.raw`# Without startup files fish does not know where its own completions are.
if not builtin set -q fish_complete_path[1]
    builtin set -g fish_complete_path $__fish_data_dir/vendor_completions.d $__fish_data_dir/completions
end
function __aish_field
    builtin read -z -d \x01 field; or exit
    builtin string collect -N -- $field
end
builtin printf '%s\0' '' '' 0
while true
    set -l cwd (__aish_field)
    set -l exports (__aish_field)
    set -l line (__aish_field)
    builtin test -r "$exports"; and builtin source $exports 2>/dev/null
    builtin cd $cwd 2>/dev/null
    set -l rows (complete -C "$line" 2>/dev/null </dev/null)
    builtin printf '%s\0' '' '' (count $rows) $rows
end
`;
