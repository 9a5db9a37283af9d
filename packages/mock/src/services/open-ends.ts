/** What is open for as long as a caller stays: it ends with the mock at the latest. */
export interface OpenEnds {
  /** Remembers how to end something; gives a function that forgets it. */
  add(end: () => void): () => void;
  /** Ends all that is open, and whatever is added later at once. */
  close(): void;
}

export function createOpenEnds(): OpenEnds {
  const ends = new Set<() => void>();
  let isClosed = false;
  return {
    add(end) {
      if (isClosed) end();
      else ends.add(end);
      return () => ends.delete(end);
    },
    close() {
      isClosed = true;
      for (const end of ends) end();
      ends.clear();
    },
  };
}
