/** Ends a check at once, after a finding that leaves nothing more to test. */
export class Failed extends Error {
  override readonly name = 'Failed';
}

/** Ends a check whose rule is about something that the target does not have, and need not have. */
export class Inapplicable extends Error {
  override readonly name = 'Inapplicable';
}

/**
 * Ends a check whose preparation did not work, an upload for example: nothing was learnt about its own
 * rule, so it is a skip. What did not work is the subject of another rule.
 */
export class Unreached extends Error {
  override readonly name = 'Unreached';
}
