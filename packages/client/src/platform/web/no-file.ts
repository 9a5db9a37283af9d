/**
 * What reads and writes files of the disk in Node.
 *
 * @throws TypeError always: here are none
 */
export async function noFile(..._: unknown[]): Promise<never> {
  throw new TypeError('Files of the disk are for Node, Deno and Bun.');
}
