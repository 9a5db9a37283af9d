/** Fails unless a condition holds. */
export function assert(holds: unknown, message: string): asserts holds {
  if (!holds) throw new Error(message);
}

/** Fails unless two values are equal as JSON. */
export function assertEqual(actual: unknown, expected: unknown): void {
  const [text, expectedText] = [JSON.stringify(actual), JSON.stringify(expected)];
  assert(text === expectedText, `got ${text}, expected ${expectedText}`);
}

/** Fails unless a promise rejects with an error that has these properties. */
export async function assertFails(
  promise: Promise<unknown>,
  expected: Readonly<Record<string, unknown>>,
): Promise<void> {
  const error = await promise.then(
    (value) => {
      throw new Error(`expected a failure, got ${JSON.stringify(value)}`);
    },
    (reason: unknown) => reason as Record<string, unknown>,
  );
  for (const [name, value] of Object.entries(expected)) {
    assert(error[name] === value, `${name} of "${error}" is ${error[name]}, expected ${value}`);
  }
}
