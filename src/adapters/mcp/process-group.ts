/** True while any process of the group is there. */
export function isGroupAlive(leader: number): boolean {
  return signalGroup(leader, 0);
}

/** Sends a signal to every process of a group; false when the group has gone. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (thrown) {
    // EPERM: somebody is there who is not ours to signal, for example after a setuid program.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}

/** Waits until the group has gone, at most `limitMs`. Only a process can be awaited by an event, a group has to be looked at. */
export async function waitForGroupEnd(leader: number, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (isGroupAlive(leader)) {
    if (performance.now() >= deadline) return false;
    await Bun.sleep(10);
  }
  return true;
}
