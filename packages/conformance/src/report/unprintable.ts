/** Control characters and what turns text around: a terminal shows them otherwise, or obeys them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;
