import { afterEach, beforeEach, expect } from 'vitest';

/**
 * Fails each test in a file during which Node emits a warning: the mock must respond to broken requests
 * without internal errors.
 */
export function failOnWarnings(): void {
  const warnings: Error[] = [];
  const collect = (warning: Error) => {
    if (warning.name !== 'DeprecationWarning') warnings.push(warning);
  };
  beforeEach(() => void process.on('warning', collect));
  afterEach(() => {
    process.off('warning', collect);
    expect(warnings, 'bugs in the mock').toEqual([]);
  });
}
