import { describe, test } from 'vitest';
import { ENGINES, type EngineId, skipReason } from '../engines.mjs';

export { findProgram, skipReason } from '../engines.mjs';

/** Tests on an engine. If it is missing, they count as skipped, and their titles say why. */
export function describeOn(engine: EngineId, name: string, tests: () => void): void {
  const title = `${name}, on ${ENGINES[engine].title}`;
  const reason = skipReason(engine);
  if (reason) describe.skip(`${title} (skipped: ${reason})`, tests);
  else describe(title, tests);
}

/** Returns `test` for an engine. If it is missing, the test is skipped, and its title says why. */
export function testOn(engine: EngineId): (name: string, run: () => Promise<void>) => void {
  const reason = skipReason(engine);
  return reason ? (name, run) => test.skip(`${name} (skipped: ${reason})`, run) : test;
}
