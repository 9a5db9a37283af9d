/** A code of a list that is open: editors offer the known ones, any other text compiles as well. */
export type OpenCode<Known extends string> = Known | (string & Record<never, never>);
