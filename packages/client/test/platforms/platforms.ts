/** The platforms that the suite runs on, with their common names. */
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

export type PlatformId = keyof typeof PLATFORMS;

export const BROWSERS = ['chromium', 'firefox', 'webkit'] as const satisfies PlatformId[];

export type BrowserId = (typeof BROWSERS)[number];

export function isBrowser(platform: PlatformId): platform is BrowserId {
  return BROWSERS.some((id) => id === platform);
}
