import { Failure } from '../failure.ts';

/** Makes something of a setting; a setting that is wrong ends the command. */
export function orFailure<Made>(setting: string, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw new Failure(`${setting}: ${(error as Error).message}`, 2);
  }
}
