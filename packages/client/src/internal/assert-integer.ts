/**
 * Holds a number that the caller gave to its lower limit; one that is not given is fine.
 *
 * @throws RangeError
 */
export function assertInteger(name: string, value: number | undefined, min: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= min)) return;
  throw new RangeError(`${name} is an integer of at least ${min}, not ${String(value)}.`);
}
