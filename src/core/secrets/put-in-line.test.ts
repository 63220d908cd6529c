import { expect, test } from 'bun:test';
import { formatUnknownSecrets } from './messages.ts';
import { putSecrets } from './put-in-line.ts';

const AWKWARD = `a'b"c$d\`e\\f g;h|i&j(k)#l!m*n?o[p]{q,r}~s`;
const KNOWN: Readonly<Record<string, string>> = { T: 'ghp_plain123', W: AWKWARD, L: 'one\nEOF\ntwo', S: "'; rm x; '" };

const put = (line: string) => putSecrets(line, (name) => (KNOWN[name] === undefined ? null : { value: KNOWN[name] }));
const refer = (line: string) => putSecrets(line, (name) => (KNOWN[name] === undefined ? null : { value: KNOWN[name], variable: 'V' }));

/** The output of a shell for a line that prints its words with a line between. */
async function printed(shell: string, line: string, env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn([shell, ...(shell === 'zsh' ? ['-f'] : ['--norc']), '-s'], {
    stdin: Buffer.from(line),
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  return new Response(child.stdout).text();
}

/** Every place where a value can stand, and what is printed with the value in it. */
const PLACES: readonly (readonly [string, (value: string) => string])[] = [
  ['printf "%s|" ⟨secret:W⟩ end', (value) => `${value}|end|`],
  ['printf "%s|" a⟨secret:W⟩b --x=⟨secret:W⟩', (value) => `a${value}b|--x=${value}|`],
  ["printf '%s|' 'Bearer ⟨secret:W⟩' end", (value) => `Bearer ${value}|end|`],
  ['printf "%s|" "Bearer ⟨secret:W⟩ $NONE." end', (value) => `Bearer ${value} .|end|`],
  ["printf '%s|' $'a\\t⟨secret:W⟩'", (value) => `a\t${value}|`],
  ['X=⟨secret:W⟩; printf "%s|" "$X"', (value) => `${value}|`],
  ['printf "%s|" "$(printf %s ⟨secret:W⟩)" "$(printf %s "⟨secret:W⟩")"', (value) => `${value}|${value}|`],
  // Within double quotes a substitution's own word is read as in them.
  ['printf "%s|" "${NONE:-⟨secret:T⟩}"', () => 'ghp_plain123|'],
  ['cat <<EOF\nA=⟨secret:W⟩ $NONE.\nEOF\n', (value) => `A=${value} .\n`],
  ['cat <<EOF\nA=⟨secret:W⟩\nEOF\n', (value) => `A=${value}\n`],
  ["cat <<<'x ⟨secret:W⟩'", (value) => `x ${value}\n`],
  ['printf "%s|" ⟨secret:W⟩ ⟨secret:T⟩ "⟨secret:T⟩⟨secret:W⟩"', (value) => `${value}|ghp_plain123|ghp_plain123${value}|`],
];

for (const shell of ['bash', 'zsh']) {
  for (const [line, say] of PLACES) {
    test(`${shell} reads the value whole, and nothing else, in ${JSON.stringify(line)}`, async () => {
      const found = put(line);
      expect('problem' in found ? found.problem : await printed(shell, found.line)).toBe(say(AWKWARD));
    });
  }
}

test('a here-document that the shell does not read has the value as it is', async () => {
  const found = put("cat <<'EOF'\nA=⟨secret:W⟩ $HOME\nEOF\n");
  expect('problem' in found ? found.problem : await printed('bash', found.line)).toBe(`A=${AWKWARD} $HOME\n`);
});

test('where a variable has the value, the line has only its name', async () => {
  for (const line of ['printf "%s|" ⟨secret:W⟩', "printf '%s|' '⟨secret:W⟩'", 'printf "%s|" "⟨secret:W⟩"', "printf '%s|' $'⟨secret:W⟩'"]) {
    const found = refer(line);
    const text = 'problem' in found ? found.problem : found.line;
    expect([text.includes(AWKWARD), await printed('bash', text, { V: AWKWARD })]).toEqual([false, `${AWKWARD}|`]);
  }
});

test('a value that would end a here-document, or be code to another program, is not put', () => {
  const problems = [
    'cat <<EOF\n⟨secret:L⟩\nEOF\n',
    "cat <<'EOF'\n⟨secret:L⟩\nEOF\n",
    "bash -c 'printf %s ⟨secret:S⟩'",
    'eval printf %s ⟨secret:S⟩',
    'ssh host "printf %s ⟨secret:S⟩"',
    'python3 -c "print(\'⟨secret:S⟩\')"',
    'echo `printf %s ⟨secret:S⟩`',
    'echo $((⟨secret:T⟩))',
  ].map((line) => 'problem' in put(line));
  expect(problems).toEqual(problems.map(() => true));
});

test('a plain value is put into code of another program', () => {
  expect(put('bash -c \'curl -H "X: ⟨secret:T⟩"\'')).toEqual({ line: 'bash -c \'curl -H "X: ghp_plain123"\'' });
  expect(put('python3 deploy.py ⟨secret:S⟩')).toEqual({ line: `python3 deploy.py ''\\''; rm x; '\\'''` });
});

test('a placeholder in a comment stays, and one that nobody knows is told', () => {
  expect(put('true # with ⟨secret:T⟩')).toEqual({ line: 'true # with ⟨secret:T⟩' });
  expect(put('echo ⟨secret:NONE⟩')).toEqual({ problem: formatUnknownSecrets(['NONE']) });
});
