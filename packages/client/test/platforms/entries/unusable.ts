/** An agent that throws when it is used in any way. */
export const unusable = new Proxy(
  {},
  {
    get(_, property) {
      throw new Error(`The agent was asked for ${String(property)}.`);
    },
  },
);
