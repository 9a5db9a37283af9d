/** How far a version rises, from not at all upwards. */
const BUMPS = ['none', 'patch', 'minor', 'major'] as const;
export type Bump = (typeof BUMPS)[number];

/** Whether a rise is at least as far as another. */
export function isAtLeast(bump: Bump, other: Bump): boolean {
  return BUMPS.indexOf(bump) >= BUMPS.indexOf(other);
}
