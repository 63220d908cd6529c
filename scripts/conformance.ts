// Runs the official MCP conformance tool against aish as a client and as a server, one scenario after another, and prints the scores.
import { writeSync } from 'node:fs';
import { serveFixtures } from '../test/lab/mcp-conformance-server.ts';
import {
  type ConformanceRole,
  installConformanceTool,
  listScenarios,
  runScenario,
} from '../test/support/conformance-tool.ts';

const REVISIONS = ['2025-11-25', '2026-07-28'];
const ROLES = ['client', 'server'] as const;

interface Scenario {
  readonly role: ConformanceRole;
  readonly name: string;
  /** It counts for the score of its revision. */
  readonly isScored: boolean;
}

/** `conformance [PATTERN]`: only the scenarios whose role and name hold the pattern. Fails if a scored scenario does. */
async function main([pattern = '']: readonly string[]): Promise<number> {
  await installConformanceTool();
  const server = serveFixtures(0);
  let failed = 0;
  for (const revision of REVISIONS) failed += await runRevision(revision, pattern, server.url);
  await server.close();
  return failed === 0 ? 0 : 1;
}

/** The number of scored scenarios that fail. */
async function runRevision(revision: string, pattern: string, url: string): Promise<number> {
  const all = toScenarios(await listScenarios(revision));
  const scenarios = all.filter(({ role, name }) => `${role} ${name}`.includes(pattern));
  const passed: Scenario[] = [];
  for (const scenario of scenarios) {
    const { passes, checks } = await runScenario({ ...scenario, revision }, url);
    if (passes) passed.push(scenario);
    say(`${passes ? 'ok    ' : 'FAILED'} ${revision} ${scenario.role} ${scenario.name} ${checks}`);
  }
  for (const role of ROLES) {
    const score = (isScored: boolean): string => {
      const count = (list: readonly Scenario[]): number =>
        list.filter((one) => one.role === role && one.isScored === isScored).length;
      return `${count(passed)}/${count(scenarios)}`;
    };
    say(`${revision} ${role}: ${score(true)} scored, ${score(false)} not scored`);
  }
  return scenarios.filter((one) => one.isScored && !passed.includes(one)).length;
}

/** The scenarios of both roles: first those that count, then those that are run and reported only. */
function toScenarios(list: string): readonly Scenario[] {
  const [required = '', rest = ''] = list.split('never scored');
  const [servers = '', clients = ''] = required.split('Client scenarios');
  const scored = (text: string, role: ConformanceRole): readonly Scenario[] =>
    [...text.matchAll(/^ +- (\S+)$/gm)].map(([, name = '']) => ({ role, name, isScored: true }));
  const others = ROLES.flatMap((role) =>
    [...rest.matchAll(new RegExp(`^ +- (\\S+) \\[${role}\\]$`, 'gm'))].map(([, name = '']) => ({
      role,
      name,
      isScored: false,
    })),
  );
  return [...scored(clients, 'client'), ...scored(servers, 'server'), ...others];
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

process.exitCode = await main(process.argv.slice(2));
