/** Fails unless a condition holds. */
export function assert(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** Fails unless two values are equal as JSON. */
export function assertEqual(actual: unknown, expected: unknown, what = 'value'): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  assert(got === wanted, `${what}: got ${got}, expected ${wanted}`);
}

/**
 * Fails unless a promise rejects with an error that has these properties and whose message contains
 * `says`.
 */
export async function assertFails(
  promise: Promise<unknown>,
  { says = '', ...expected }: { says?: string; name: string; [property: string]: unknown },
): Promise<Error> {
  const error = await promise.then(
    (value) => {
      throw new Error(`Expected a ${expected.name}, got ${JSON.stringify(value)}`);
    },
    (reason: unknown) => reason as Error & Record<string, unknown>,
  );
  for (const [property, value] of Object.entries(expected)) {
    assertEqual(error[property], value, `${property} of "${error}"`);
  }
  assert(error.message.includes(says), `"${error}" does not say "${says}"`);
  return error;
}
