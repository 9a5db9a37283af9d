import { FEATURES, type Feature, type FeatureId, lackOf } from '../test/platforms/features.ts';
import { PLATFORMS, type PlatformId } from '../test/platforms/platforms.ts';

const INTRODUCTION = `# Platforms

This page shows which features of \`@berth/client\` work on each platform. The test suite
\`packages/client/test/platforms\` runs on all of them, with the published client and the same deployment: on Node 22,
Firefox and WebKit once a week, on the others for each change. **yes** means that all tests of the feature pass. **no**
means that a test proves what happens instead, as listed in the second table.
`;

const ids = Object.keys(PLATFORMS) as PlatformId[];
const features = Object.entries(FEATURES) as [FeatureId, Feature][];

/** Renders `docs/reference/platforms.md` from what the test suite declares. */
export function toPlatformsPage(): string {
  const rows = features.map(([id, { title }]) => [
    title,
    ...ids.map((platform) => (lackOf(id, platform) === undefined ? 'yes' : 'no')),
  ]);
  const lacks = features.flatMap(([id, { title }]) => {
    const texts = new Set(ids.flatMap((platform) => lackOf(id, platform) ?? []));
    return [...texts].map((text) => {
      const names = ids.filter((platform) => lackOf(id, platform) === text);
      return [title, names.map((platform) => PLATFORMS[platform]).join(', '), text];
    });
  });
  return [
    INTRODUCTION,
    toTable(['Feature', ...Object.values(PLATFORMS)], rows),
    '## What happens instead\n',
    toTable(['Feature', 'Platform', 'Instead'], lacks),
  ].join('\n');
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}
