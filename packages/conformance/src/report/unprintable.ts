/** Control characters and what turns text around: a terminal shows them otherwise, or obeys them. */
export const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;
