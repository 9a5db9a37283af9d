import type { Fingerprint, Fingerprints } from '../modules/write-fingerprints.ts';

/** Operations that differ from the run before, each with what differs. */
export interface Changes {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: ReadonlyMap<string, readonly (keyof Fingerprint)[]>;
}

const PARTS = ['input', 'output', 'security'] as const;

export function compare(before: Fingerprints, after: Fingerprints): Changes {
  const changed = new Map<string, readonly (keyof Fingerprint)[]>();
  for (const [operationId, now] of Object.entries(after.operations)) {
    const then = before.operations[operationId];
    const parts = then === undefined ? [] : PARTS.filter((part) => then[part] !== now[part]);
    if (parts.length > 0) changed.set(operationId, parts);
  }
  return {
    added: missingFrom(before, after),
    removed: missingFrom(after, before),
    changed,
  };
}

/** What a run changed for handlers, line by line; nothing where there was no run before. */
export function describeChanges(before: Fingerprints | undefined, after: Fingerprints): string[] {
  if (before === undefined) return [];
  const { added, removed, changed } = compare(before, after);
  const parts = [...changed].map(([operationId, names]) => `${operationId} (${names.join(', ')})`);
  return [
    ...(parts.length > 0 ? [`changed: ${parts.join(', ')}`] : []),
    ...(removed.length > 0 ? [`removed: ${removed.join(', ')}`] : []),
    ...(added.length > 0 ? [`added: ${added.join(', ')}`] : []),
  ];
}

function missingFrom(list: Fingerprints, other: Fingerprints): string[] {
  return Object.keys(other.operations).filter((each) => !Object.hasOwn(list.operations, each));
}
