import type { Engine } from '../../engine/engine.ts';

/** What happens behind the first prompt: a model is looked for where none is configured, and servers never seen before tell their tools. */
export async function lookAround(engine: Engine, signal: AbortSignal, notice: (line: string) => void): Promise<void> {
  const model = engine.endpoints.lookAround(signal).then((line) => {
    if (line !== null && !signal.aborted) notice(line);
  });
  if (!signal.aborted) await engine.servers();
  await model;
}
