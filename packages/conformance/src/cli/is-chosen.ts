/** Reasons that only repeat what the operator has asked for. */
const CHOSEN: readonly string[] = ['not in --only', '--skip', '--level must'];

/** Whether a check was left out by a choice of the operator, and not for something that is missing. */
export function isChosen(reason: string | undefined): boolean {
  return reason !== undefined && CHOSEN.includes(reason);
}
