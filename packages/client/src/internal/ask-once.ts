import { share } from '#share';

/**
 * Makes a function that asks the user's one once however many callers wait, and anew for those after
 * them, also where it failed.
 *
 * @param what what is asked for, as in `the token`; it stands in the error of a failed function
 */
export function askOnce<Answer>(
  ask: () => Answer | Promise<Answer>,
  what: string,
): () => Promise<Answer> {
  return share<void, Answer>(async () => {
    try {
      return await ask();
    } catch (cause) {
      throw new Error(`The function that gives ${what} failed: ${cause}`, { cause });
    }
  });
}
