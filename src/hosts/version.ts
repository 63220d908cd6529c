import manifest from '../../package.json' with { type: 'json' };

/** The version of this build, from the package manifest. */
export const VERSION: string = manifest.version;
