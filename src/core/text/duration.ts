/** How long something took, as users say it: `0.3 s`, `12 s`, `1 m 05 s`, `2 h 03 m`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 9950) return `${(Math.max(0, milliseconds) / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} m`;
}

/** How long ago something was, roughly: `3 min ago`. */
export function formatAge(at: number, now: number): string {
  const [count, unit] = toAge(at, now);
  return `${count} ${AGE_UNITS[unit]} ago`;
}

const AGE_UNITS = { s: 's', m: 'min', h: 'h', d: 'days' };

/** How long ago something was, in whole seconds, minutes, hours or days. */
export function toAge(at: number, now: number): readonly [number, keyof typeof AGE_UNITS] {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 60) return [seconds, 's'];
  if (seconds < 3600) return [Math.floor(seconds / 60), 'm'];
  return seconds < 86_400 ? [Math.floor(seconds / 3600), 'h'] : [Math.floor(seconds / 86_400), 'd'];
}
