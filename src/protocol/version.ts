/** The version of this program; the same as in package.json, which a test holds. */
export const VERSION = '0.1.0';
