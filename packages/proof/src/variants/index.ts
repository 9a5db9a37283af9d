import { everywhere } from './everywhere.ts';
import { gateway } from './gateway.ts';
import { storage } from './storage.ts';
import { uploadsAndLinks } from './uploads-and-links.ts';
import type { Variant } from './variant.ts';

/** Deployments that are right, in the order in which one run applies them. */
export const variants: readonly Variant[] = [
  ...gateway,
  ...storage,
  ...uploadsAndLinks,
  ...everywhere,
];
