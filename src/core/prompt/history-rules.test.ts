import { expect, test } from 'bun:test';
import { parseIgnored, toHistoryRules, USUAL_RULES } from './history-rules.ts';
import { isWorthKeeping, looksSecret } from './kept-line.ts';

test('secret-looking lines are known', () => {
  const secret = [
    'curl -u me:pw x',
    'mysql -psecret',
    'sshpass -p secret ssh h',
    'PASSWORD=1 x',
    'echo sk-abcdefghijklmnop',
    'git clone https://u:p@h/x',
    'tool --token abc',
    'ghp_0123456789abcdef',
  ];
  const plain = [
    'mkdir -p src',
    'npm-run-all-in-order x',
    'git log -p file',
    'docker run -p 80:80 x',
    'task list',
    'ls sk-1',
    'cat password.txt',
    'explain this token',
  ];
  expect([secret.filter((line) => !looksSecret(line)), plain.filter(looksSecret)]).toEqual([[], []]);
});

test('what begins with a blank, is too long or asks to forget something is not kept', () => {
  const lines = ['ls', ' ls', '\tls', '  ', 'x'.repeat(65_537), ':history delete hunter2', ':history'];
  expect(lines.filter((line) => isWorthKeeping(line))).toEqual(['ls', ':history']);
});

test('a line is kept whose secrets were all taken out of it', () => {
  const kept = [
    'export API_TOKEN=⟨secret:API_TOKEN⟩; env',
    'curl -H "Authorization: Bearer ⟨secret:GITHUB_TOKEN⟩" https://x.example',
    'mysql -p⟨secret:DB_PASSWORD⟩ shop',
    "login --token '⟨secret:A⟩' --user me",
  ];
  const dropped = ['export API_TOKEN=⟨secret:API_TOKEN⟩ DB_PASSWORD=hunter2', 'login --token x ⟨secret:A⟩'];
  expect([...kept, ...dropped].filter((line) => isWorthKeeping(line))).toEqual(kept);
});

test('what a pattern of the user matches is not kept', () => {
  const rules = { ...USUAL_RULES, ignore: ['ls', 'cd *', 'top?', '[bf]g'] };
  const lines = ['ls', 'ls -l', 'cd', 'cd /x', 'top', 'topo', 'bg', 'fg', 'jg'];
  expect(lines.filter((line) => isWorthKeeping(line, rules))).toEqual(['ls -l', 'cd', 'top', 'jg']);
});

test('the rules of bash are understood', () => {
  expect([
    toHistoryRules({ control: 'ignoreboth', ignore: ['ls', 'cd *', '&'] }, { ignore: ['x'], duplicates: 'keep' }),
    toHistoryRules({ control: 'erasedups:ignorespace', ignore: [] }, USUAL_RULES),
    toHistoryRules({ control: '', ignore: [] }, USUAL_RULES),
  ]).toEqual([{ ignore: ['x', 'ls', 'cd *'], duplicates: 'ignore' }, { ignore: [], duplicates: 'erase' }, USUAL_RULES]);
});

test('the patterns of both shells are understood', () => {
  expect([
    parseIgnored('ls:cd *::&', 'bash'),
    parseIgnored('(ls|cd *|pwd)', 'zsh'),
    parseIgnored('rm *', 'zsh'),
    parseIgnored('', 'zsh'),
  ]).toEqual([['ls', 'cd *', '&'], ['ls', 'cd *', 'pwd'], ['rm *'], []]);
});
