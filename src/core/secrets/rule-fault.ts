import { faultOfPrefix } from '../gate/rule-examples.ts';

const TOOL = /^[A-Za-z0-9_-]+\.(\*|[^*\s]+)$/;

/** Why a text cannot say who is handed a secret; null where it names a tool, or the first words of a command that runs nothing else. */
export function faultOfSecretRule(rule: string): string | null {
  const fault = faultOfPrefix('approve', rule);
  if (fault === null || TOOL.test(rule)) return null;
  return fault.replace(/^would approve whatever/, 'would hand it to whatever');
}
