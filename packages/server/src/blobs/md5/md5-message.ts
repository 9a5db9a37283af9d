import type { Slab } from './slab.ts';

/** What a worker is asked for. Contents are told apart by their number. */
export type Md5Request =
  | {
      readonly kind: 'update';
      readonly id: number;
      readonly slab: Slab;
      readonly length: number;
    }
  | { readonly kind: 'digest'; readonly id: number }
  | { readonly kind: 'forget'; readonly id: number };

/** What it answers: a slab that it has read and gives back, or the MD5 in hex. `forget` has no answer. */
export type Md5Answer =
  | { readonly kind: 'read'; readonly id: number; readonly slab: Slab }
  | { readonly kind: 'digest'; readonly id: number; readonly digest: string };
