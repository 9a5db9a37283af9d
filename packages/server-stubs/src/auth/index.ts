export * from './key-pairs.ts';
export * from './sign-request.ts';
export * from './signatures.ts';
/** Functions to build and parse version 3 signatures. */
export * as tc3 from './tc3.ts';
