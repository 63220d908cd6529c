export function serve(): void {}
