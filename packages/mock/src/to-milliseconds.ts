const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Milliseconds of a duration: a number of them, or a text such as `250ms`, `5s`, `2m`, `1h`, `1d`; a text
 * without a unit counts milliseconds.
 *
 * @returns undefined for what is no duration
 */
export function toMilliseconds(value: unknown): number | undefined {
  if (typeof value === 'number') return value >= 0 && Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const [, amount, unit = 'ms'] = /^(\d{1,15}(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(value) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] as number);
}
