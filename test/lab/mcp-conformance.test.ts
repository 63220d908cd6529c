import { afterAll, describe, expect, test } from 'bun:test';
import { type ConformanceRole, hasConformanceTool, runScenario } from '../support/conformance-tool.ts';
import { serveFixtures } from './mcp-conformance-server.ts';

/** One scenario for each thing that aish does itself; `npm run conformance` runs all. */
const SCENARIOS: Readonly<Record<ConformanceRole, Readonly<Record<string, readonly string[]>>>> = {
  client: {
    '2025-11-25': ['initialize', 'elicitation-sep1034-client-defaults'],
    '2026-07-28': ['request-metadata', 'auth/basic-cimd', 'sep-2322-client-request-state'],
  },
  server: {
    '2025-11-25': ['dns-rebinding-protection', 'tools-call-elicitation'],
    '2026-07-28': ['dns-rebinding-protection', 'input-required-result-multi-round'],
  },
};

const server = serveFixtures(0);
afterAll(() => server.close());

describe.skipIf(!hasConformanceTool())('the official conformance tool is satisfied with', () => {
  for (const role of ['client', 'server'] as const)
    for (const [revision, names] of Object.entries(SCENARIOS[role]))
      test.each([...names])(`the ${role} of ${revision}: %s`, async (name) => {
        const { passes, output } = await runScenario({ role, name, revision }, server.url);
        expect(passes ? 'passes' : output).toBe('passes');
      });
});
