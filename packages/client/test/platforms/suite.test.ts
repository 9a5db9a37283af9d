import { describe, expect, it } from 'vitest';
import { FEATURES, type Feature, type FeatureId, lackOf } from './features.ts';
import { PLATFORMS, type PlatformId } from './platforms.ts';
import { SUITE } from './suite.ts';

const platforms = Object.keys(PLATFORMS) as PlatformId[];
const features = Object.entries(FEATURES) as [FeatureId, Feature][];

describe('the suite', () => {
  it('has a unique name for each case', () => {
    const names = SUITE.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(features)('has a case for %s, which also proves what happens without it', (id) => {
    const cases = SUITE.filter(({ feature }) => feature === id);
    expect(cases.length).toBeGreaterThan(0);
    const isLacking = platforms.some((platform) => lackOf(id, platform) !== undefined);
    expect(cases.some(({ without }) => without)).toBe(isLacking);
  });

  it('has no feature that every platform lacks', () => {
    for (const [id] of features) {
      expect(platforms.some((platform) => lackOf(id, platform) === undefined)).toBe(true);
    }
  });
});
