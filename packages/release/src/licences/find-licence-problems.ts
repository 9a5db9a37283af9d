import satisfies from 'spdx-satisfies';
import { ALLOWED, READ_IN_FILES } from './allowed.ts';

export interface Dependency {
  name: string;
  version: string;
  /** What its manifest says: an SPDX expression, or something that should be one. */
  license: string;
}

/**
 * The dependencies whose licence is none that a published package may bring along, and the entries of
 * `READ_IN_FILES` that no dependency needs, a sentence each.
 */
export function findLicenceProblems(dependencies: readonly Dependency[]): string[] {
  const ids = dependencies.map(toId);
  return [
    ...dependencies
      .filter((dependency) => !isAllowed(READ_IN_FILES[toId(dependency)] ?? dependency.license))
      .map((one) => `${toId(one)} has the licence "${one.license}", which is not allowed.`),
    ...Object.keys(READ_IN_FILES)
      .filter((id) => !ids.includes(id))
      .map((id) => `${id} has an entry in READ_IN_FILES, and nothing depends on it.`),
  ];
}

function toId({ name, version }: Dependency): string {
  return `${name}@${version}`;
}

function isAllowed(expression: string): boolean {
  try {
    return satisfies(expression, [...ALLOWED]);
  } catch {
    return false; // no SPDX expression
  }
}
