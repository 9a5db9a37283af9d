import { FEATURES, type Feature, type FeatureId, lackOf } from '../test/platforms/features.ts';
import { PLATFORMS, type PlatformId } from '../test/platforms/platforms.ts';

const INTRODUCTION = `# Platforms

What \`@berth/client\` does on each platform. One suite, \`packages/client/test/platforms\`, runs on all of
them against the same deployment, with the client as it is published. **yes**: the cases of that row pass
there. **no**: a case proves that the platform does what the second table says.
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
