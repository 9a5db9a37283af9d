import { everywhere } from './everywhere.ts';
import { gateway } from './gateway.ts';
import { storage } from './storage.ts';
import { uploadsAndLinks } from './uploads-and-links.ts';
import type { Variant } from './variant.ts';

/** The ways in which a correct deployment may differ, in the order in which they are applied. */
export const variants: readonly Variant[] = [
  ...gateway,
  ...storage,
  ...uploadsAndLinks,
  ...everywhere,
];
