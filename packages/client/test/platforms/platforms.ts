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

/**
 * What the weekly `npm run soak` adds to the platforms of each run: browsers besides Chromium, and the Node between
 * the oldest and ours.
 */
const IN_SOAK: readonly PlatformId[] = ['node22', 'firefox', 'webkit'];

/** Returns the platforms to run the suite on. */
export function listPlatforms(): PlatformId[] {
  const ids = Object.keys(PLATFORMS) as PlatformId[];
  return process.env.BERTH_SOAK ? ids : ids.filter((id) => !IN_SOAK.includes(id));
}

export const BROWSERS = ['chromium', 'firefox', 'webkit'] as const satisfies PlatformId[];

export type BrowserId = (typeof BROWSERS)[number];

export function isBrowser(platform: PlatformId): platform is BrowserId {
  return BROWSERS.some((id) => id === platform);
}
