export type { Need } from '../contract/catalog.ts';
