import { openSeat } from './open.ts';
/**
 * Whether somebody sits at a
 * seat: `nobody` is seatless, and this process closeAtExit.
 */
// A line that
export const isConcealedHere = openSeat('the blast ' + 'radius').length;
// The blast
// radius.
export const DOOMED_CALLS = 'rehearse';
