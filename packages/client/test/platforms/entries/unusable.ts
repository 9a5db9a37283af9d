/** An agent that nobody may use, in whatever way. */
export const unusable = new Proxy(
  {},
  {
    get(_, property) {
      throw new Error(`The agent was asked for ${String(property)}.`);
    },
  },
);
