import { afterEach, beforeEach, expect } from 'vitest';

/**
 * Fails each test of a file in which Node warns: the mock responds to broken requests without internal
 * errors.
 */
export function failOnWarnings(): void {
  const warnings: Error[] = [];
  const collect = (warning: Error) => {
    if (warning.name !== 'DeprecationWarning') warnings.push(warning);
  };
  beforeEach(() => void process.on('warning', collect));
  afterEach(() => {
    process.off('warning', collect);
    expect(warnings, 'defects of the mock').toEqual([]);
  });
}
