import type { Variants } from './combine.ts';
import { everywhere } from './everywhere.ts';
import { gateway } from './gateway.ts';
import { storage } from './storage.ts';
import { uploadsAndLinks } from './uploads-and-links.ts';

export const variants: Variants = { ...gateway, ...uploadsAndLinks, ...storage, ...everywhere };

/** Variants that exclude each other: a deployment has the first or the others. */
const EXCLUSIVE = [
  ['an OPTIONS is rejected with 405', 'a preflight allows any header'],
  ['rejections have 200 and a code', 'rejections have other 4xx statuses'],
  ['responses have additional fields', 'responses are flat'],
  ['some responses are slow', 'every 60th call gets 429 with Retry-After'],
  [
    'a POST without a body is rejected',
    'a POST without a body becomes one of no bytes',
    'a body without a length is rejected with 411',
  ],
  [
    'links redirect with 307 to another port',
    'invalid links return 404',
    'downloads have other headers',
  ],
];

/** Two deployments that together have every variant. */
export const deployments = ['first', 'others'].map((which) => {
  const excluded = EXCLUSIVE.flatMap(([first, ...others]) => (which === 'first' ? others : first));
  const rows = Object.entries(variants).filter(([name]) => !excluded.includes(name));
  return Object.fromEntries(rows) as Variants;
});
