export const name = 'third';

export async function ownName(): Promise<string> {
  return (await import('./third.ts')).name;
}
