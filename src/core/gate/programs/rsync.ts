import { find } from '../findings.ts';
import type { GivenWords } from '../options.ts';
import { holdsSecrets, usePath } from '../path-use.ts';
import type { Call, ProgramRule } from '../program.ts';
import type { Finding } from '../verdict.ts';

/** What `rsync` has of options that write, start or read something beside what it copies. */
export const RSYNC: Omit<ProgramRule, 'judge'> = {
  any: true,
  short: 'e:f:B:T:M:@:',
  long: 'rsh= rsync-path= exclude= include= filter= exclude-from= include-from= files-from= bwlimit= port= password-file= out-format= log-file= log-file-format= info= debug= timeout= contimeout= chmod= chown= usermap= groupmap= backup-dir= suffix= temp-dir= partial-dir= compare-dest= copy-dest= link-dest= write-batch= only-write-batch= read-batch= remote-option= max-size= min-size= max-delete= block-size= modify-window= address= sockopts= outbuf= iconv= protocol= checksum-choice= compress-choice= compress-level= skip-compress= early-input= copy-as= config= stop-after= stop-at=',
  on: {
    'log-file': 'add',
    'backup-dir temp-dir T partial-dir': 'add',
    'write-batch only-write-batch': 'replace',
    'password-file early-input': 'content',
    'exclude-from include-from': 'content',
    'read-batch daemon config': 'changes',
    'copy-as': 'privileged',
  },
};

/** Options whose values say what they do, and the files that a copy takes from here. */
export function judgeRsync({ options, operands }: GivenWords, { scope }: Call): readonly Finding[] {
  const found = options.flatMap(({ name, value }) => {
    if (value === null) return [];
    if (name === 'files-from') return judgeList(value, scope);
    if (name === 'chmod' && (value.value === null || /s|\d{4}/.test(value.value)))
      return [find('privileged', 'sets a mode that lends rights')];
    if (name !== 'M' && name !== 'remote-option') return [];
    const path = /^--?[\w-]+=(.*)$/s.exec(value.value ?? '')?.[1];
    const written = path === undefined ? [] : usePath({ ...value, value: path, start: path }, 'add', scope);
    return [find('changes', `the option ${value.text} of the other side`), ...written];
  });
  const sources = operands.slice(0, -1).filter(({ start }) => !/^[\w.@-]+:|^\w+:\/\//.test(start));
  const kept = sources.filter((word) => holdsSecrets(word.value ?? word.start, scope, word.isGlob));
  return [
    ...found,
    ...kept.map((word) => find('secrets', word.text)),
    ...sources.flatMap((word) => usePath(word, 'content', scope)),
  ];
}

/** A list may come from another machine, and names what nobody has seen. */
function judgeList(list: GivenWords['operands'][number], scope: Call['scope']): readonly Finding[] {
  if (list.value === null || /^[^/]*:/.test(list.value)) return [find('network', `the list ${list.text}`)];
  return [find('changes', 'a list of what is copied'), ...usePath(list, 'content', scope)];
}
