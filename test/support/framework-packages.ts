import { join } from 'node:path';

/** A package of the npm registry that only tests read: a framework for the prompt of a shell. */
export interface FrameworkPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** The packages that `scripts/fetch-frameworks.ts` fetches, by the name that tests use. */
export const FRAMEWORK_PACKAGES = {
  pure: {
    name: 'pure-prompt',
    version: '1.28.3',
    integrity: 'sha512-R04qRS9B4xznh4qrJUU1N9kOvCzim48lURGZ763dT2TS6Yal19sv1xGGNXAQLGOTVUG24XTTWptXS4pDxKN2sQ==',
  },
  spaceship: {
    name: 'spaceship-prompt',
    version: '4.22.5',
    integrity: 'sha512-GhbjMR4sljMy7iQe79zDTGm0y8779EfgnxxN4z91ST8p2b9WCd5wpoSrXS1ft2pi2WSHWtV7kA12NE2TOETVAg==',
  },
  mise: {
    name: '@jdxcode/mise-linux-x64',
    version: '2026.9.15',
    integrity: 'sha512-ButPFGyztN0Rk/HOHvHuf+W80CkvQRAjbDWHvhGJc3PnL3e2KhCYZIOyjx8wPkhr9VJa/7sJZXpxtt5JLjsfaQ==',
  },
} as const satisfies Readonly<Record<string, FrameworkPackage>>;

/** The folder of the packages: outside of the checkout, so that they are fetched once on each machine. */
export function packageFolder({ name, version }: Pick<FrameworkPackage, 'name' | 'version'>): string {
  const cache = process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? '/tmp', '.cache');
  return join(cache, 'aish-tests', `${name.replace('/', '+')}-${version}`);
}
