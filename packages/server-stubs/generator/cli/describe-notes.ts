import type { Problem } from '../document/problems.ts';

/** Notes line by line; what is true of several places is said once. */
export function describeNotes(notes: readonly Problem[]): string[] {
  const messages = new Set(notes.map(({ message }) => message));
  return [...messages].flatMap((message) => [
    `note: ${message}`,
    ...notes.filter((note) => note.message === message).map(({ pointer }) => `  ${pointer}`),
  ]);
}
