import { expect, test } from 'bun:test';
import { SecretPrompt } from './typed-keys.ts';

function record(): { readonly told: string[]; readonly prompt: SecretPrompt } {
  const told: string[] = [];
  const prompt = new SecretPrompt({
    onPasswordWanted: (program) => told.push(`wanted by ${program}`),
    onPasswordOver: () => told.push('over'),
  });
  return { told, prompt };
}

test('a question is told once, and its end before what comes next', () => {
  const { told, prompt } = record();
  prompt.look(true, () => 'sudo');
  prompt.look(true, () => 'sudo');
  prompt.end();
  prompt.end();
  expect(told).toEqual(['wanted by sudo', 'over']);
});

test('an answer after which nothing is shown ends the question too', () => {
  const { told, prompt } = record();
  prompt.look(true, () => null, ' read -s x');
  prompt.look(false, () => null);
  prompt.look(false, () => null);
  expect(told).toEqual(['wanted by read', 'over']);
});
