/** The platforms that the suite runs on, with the name that people know them by. */
export const PLATFORMS = {
  node20: 'Node 20',
  node22: 'Node 22',
  node24: 'Node 24',
  node26: 'Node 26',
  deno: 'Deno',
  bun: 'Bun',
  workerd: 'Workers (workerd)',
  chromium: 'Chromium',
  firefox: 'Firefox',
  webkit: 'WebKit',
} as const;

/** One of the platforms. */
export type PlatformId = keyof typeof PLATFORMS;

/** Those that are browsers. */
export const BROWSERS = ['chromium', 'firefox', 'webkit'] as const satisfies PlatformId[];

/** One of the browsers. */
export type BrowserId = (typeof BROWSERS)[number];

/** Whether a platform is a browser. */
export function isBrowser(platform: PlatformId): platform is BrowserId {
  return BROWSERS.some((id) => id === platform);
}
