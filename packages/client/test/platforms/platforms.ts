/** The platforms that the suite runs on, with the name that people know them by. */
export const PLATFORMS = {
  node20: 'Node 20',
  node22: 'Node 22',
  node24: 'Node 24',
  deno: 'Deno',
  bun: 'Bun',
  chromium: 'Chromium',
} as const;

/** One of the platforms. */
export type PlatformId = keyof typeof PLATFORMS;
