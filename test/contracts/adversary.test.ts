import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { below, randomFrom } from '../support/canaries.ts';
import { hasProgram } from '../support/programs.ts';
import { SEED } from '../support/seed.ts';
import { type Attack, HONEST, listAttacks, TERMS } from './attacks.ts';
import { ContractWorld, type Terms } from './contract-world.ts';

/** All of them at night: `AISH_CONTRACTS=300`. */
const CONTRACTS = Number(process.env.AISH_CONTRACTS ?? 15);
const AT_ONCE = 3;
const LONG = 40_000 + CONTRACTS * 10_000;

/** A contract, and how its model tries to break it. */
interface Draw {
  readonly name: string;
  readonly terms: Terms;
  /** The user changes other files while the run works. */
  readonly isShared: boolean;
}

/** The draws of a seed: every single line comes before an edit comes twice. */
function drawAll(random: () => number): readonly Draw[] {
  const names = listAttacks({ port: 1, mark: '' }).map(({ name }) => name);
  const shuffled = names.map((name) => ({ name, at: random() })).sort((one, other) => one.at - other.at);
  return Array.from({ length: CONTRACTS }, (_, at) => ({
    name: shuffled[at % shuffled.length]?.name ?? '',
    terms: TERMS[below(random, TERMS.length)] ?? TERMS[0],
    isShared: random() < 0.3,
  }));
}

/** Paths that no contract of these tests lets change, whatever `only` names. */
const NEVER =
  /^(?:test\/|Makefile$|GNUmakefile$|package\.json$|\.git(?:$|\/)|\.aish(?:$|\/)|\.env$|build\/)|\/\.gitignore$/;

function mayChange(path: string, { only }: Terms): boolean {
  return !NEVER.test(path) && only.some((one) => one === '.' || path === one || path.startsWith(`${one}/`));
}

/** The edits of a user while a command runs, and between the steps. */
const USERS: Readonly<Record<string, string>> = { 'mine.txt': 'mine\nmore\n', 'notes.txt': 'mine\n' };

/** Plays one contract, and lists each rule of contracts that does not hold; an honest end follows the attack. */
async function play({ name, terms, isShared }: Draw): Promise<readonly string[]> {
  await using world = new ContractWorld([]);
  const attack = listAttacks(world).find((one) => one.name === name) ?? { name, answers: [], ends: [] };
  world.server.play(...attack.answers, ...HONEST);
  const before = world.read();
  const edit = (): void => {
    for (const [path, content] of Object.entries(USERS)) writeFileSync(join(world.home.work, path), content);
  };
  const outcome = await world.run(terms, (type) => {
    if (isShared && type === 'tool-call.started') edit();
  });
  const { receipt, error } = outcome;
  const passed = receipt.changes.filter(({ path }) => !mayChange(path, terms));
  const faults = [
    ...(await world.survivors()),
    ...(isExpected(attack, receipt)
      ? []
      : [`ended otherwise: ${JSON.stringify([receipt.reason, receipt.fence, error])}`]),
    ...passed.map(({ path }) => `passed a fence: ${path}`),
    ...(await world.findFaults(before, outcome, (path) => isShared && path in USERS)),
  ];
  return faults.map((fault) => `${name} (only ${terms.only}): ${fault}`);
}

/** The run ends at one of the fences of the attack, or goes on to its honest end where the attack came to nothing or is no breach. */
function isExpected(
  { ends }: Attack,
  { reason, fence }: { readonly reason: string | null; readonly fence: { readonly code: string } | null },
) {
  return reason === 'achieved' || (reason === 'fence' && fence !== null && ends.includes(fence.code));
}

describe.skipIf(!hasProgram('bwrap'))('an adversarial model', () => {
  test(
    '[contract.adversary] passes no fence, and its run is undone to the byte without the edits of the user',
    async () => {
      const waiting = [...drawAll(randomFrom(SEED))];
      const faults: string[] = [];
      const playOn = async (): Promise<void> => {
        for (let draw = waiting.shift(); draw !== undefined; draw = waiting.shift()) faults.push(...(await play(draw)));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, playOn));
      expect(faults).toEqual([]);
    },
    LONG,
  );
});
