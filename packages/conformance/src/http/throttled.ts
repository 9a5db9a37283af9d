/** A call that the target refused with 429 again and again: nothing was learnt, and nothing is broken. */
export class Throttled extends Error {
  override readonly name = 'Throttled';
}
