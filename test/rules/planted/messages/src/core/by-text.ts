interface Finding {
  readonly reason: string;
  readonly effect: string;
}

/** Six decisions by text, and one by a code. */
export function decide(finding: Finding, reasons: readonly string[], label: string, rule?: string): readonly boolean[] {
  return [
    finding.reason.startsWith('runs code'),
    /^prints/.test(finding.reason),
    reasons.some((one) => one.endsWith('by a script')),
    reasons.includes('runs code'),
    label.match(/run/) !== null,
    rule?.startsWith('floor ') === true,
    finding.effect === 'runs',
  ];
}
