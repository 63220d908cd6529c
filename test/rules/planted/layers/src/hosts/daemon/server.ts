export function serve(): void {
  console.log('serving');
}
