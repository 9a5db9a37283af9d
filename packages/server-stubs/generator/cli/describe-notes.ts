import type { Problem } from '../document/problems.ts';

/** Notes line by line; what is true of several places is said once. */
export function describeNotes(notes: readonly Problem[]): string[] {
  const places = Map.groupBy(notes, ({ message }) => message);
  return [...places].flatMap(([message, each]) => [
    `note: ${message}`,
    ...each.map(({ pointer }) => `  ${pointer}`),
  ]);
}
