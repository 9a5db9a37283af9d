/** Numbers from 0 (included) to 1 (excluded) that a seed decides. */
export interface Random {
  next(): number;
  /** Where it is: a whole number below 2^32. */
  state: number;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}

/**
 * Makes random numbers that are the same for the same seed (mulberry32): good enough for faults, and
 * one number is its whole state.
 */
export function createRandom(seed: string): Random {
  return {
    state: hash(seed),
    next() {
      this.state = (this.state + 0x6d2b79f5) >>> 0;
      let value = this.state;
      value = Math.imul(value ^ (value >>> 15), value | 1);
      value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
      return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}
