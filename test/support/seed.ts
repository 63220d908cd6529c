/** The seed of every random test. Each run of the tests draws the same, so that a red run is somebody's change; the nightly run sets another. */
export const SEED = Number(process.env.AISH_TEST_SEED ?? 20_261_121);
